#include "harness/cli/command.h"

int main(int count, char** arguments) { return lockstep::cli::main(count, arguments); }
