#pragma once

#include "harness/cli/command.h"

/// One function a command; each stands in its own file.
namespace lockstep::cli {

int run(const Arguments&, const Context&);
int exec_command(const Arguments&, const Context&);
int list(const Arguments&, const Context&);
int show(const Arguments&, const Context&);
int compare(const Arguments&, const Context&);
int check(const Arguments&, const Context&);
int report(const Arguments&, const Context&);
int strategies(const Arguments&, const Context&);
int plan_command(const Arguments&, const Context&);
int systems(const Arguments&, const Context&);
int verify(const Arguments&, const Context&);
int import(const Arguments&, const Context&);
int export_launch(const Arguments&, const Context&);
int tag(const Arguments&, const Context&);
int note(const Arguments&, const Context&);
int rerun(const Arguments&, const Context&);
int gc(const Arguments&, const Context&);
int gui(const Arguments&, const Context&);
int completion(const Arguments&, const Context&);
int doctor(const Arguments&, const Context&);

}  // namespace lockstep::cli
