#include <fmt/format.h>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/environment/machine.h"
#include "results/json/writer.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {
namespace {

/// A note of a campaign ("@14") or of a launch ("@14.7"), without its text.
store::NoteRow note_on(store::Store& store, const std::string& selector) {
  store::NoteRow note;
  if (selector.find('.') != std::string::npos) {
    note.launch = snapshot::resolve(store, snapshot::parse_launch_selector(selector)).id;
  } else {
    note.campaign = snapshot::resolve(store, snapshot::parse_selector(selector).campaign).id;
  }
  return note;
}

void print_notes(const std::vector<store::NoteRow>& notes, const Context& context) {
  json::Writer out;
  out.open_object().member("format", "lockstep.notes").member("version", 1).key("notes").open_array();
  std::string text;
  for (const store::NoteRow& note : notes) {
    out.open_object().member("text", note.text).member("who", note.who).member("at", store::utc_text(note.at_utc_ns));
    out.close();
    text += fmt::format("{}  {}  {}\n", store::utc_text(note.at_utc_ns), note.who, note.text);
  }
  context.print(context.json ? out.close().close().text() : text.empty() ? "no notes\n" : text);
}

}  // namespace

int note(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  const std::string selector = arguments.text("SELECTOR");
  store::NoteRow note = note_on(store, selector);
  if (arguments.has("TEXT")) {
    note.text = arguments.text("TEXT");
    if (note.text.empty()) refuse({"", "TEXT", "\"\"", "a note says something", "lockstep note @last \"new kernel\""});
    note.who = environment::user_name();
    note = store.note(note);
  }
  print_notes(store.notes(note.campaign.empty() ? note.launch : note.campaign), context);
  return 0;
}

}  // namespace lockstep::cli
