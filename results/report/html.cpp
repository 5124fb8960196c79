#include <fmt/format.h>

#include "results/report/escape.h"
#include "results/report/formats.h"
#include "results/report/headings.h"
#include "results/report/html_style.h"
#include "results/report/svg.h"
#include "results/report/values.h"

namespace lockstep::report {
namespace {

constexpr size_t kLongTable = 40;  // rows: more of them scroll

std::string tag(const char* name, const std::string& content) { return fmt::format("<{0}>{1}</{0}>\n", name, content); }

std::string numbers_of(const Value& value) {
  const stats::Estimate& one = value.estimate;
  std::string out = fmt::format(" data-value=\"{}\"", exact(one.value));
  if (one.level > 0) {
    out += fmt::format(" data-low=\"{}\" data-high=\"{}\" data-level=\"{}\"", exact(one.low), exact(one.high),
                       exact(one.level));
  }
  return one.n > 0 ? out + fmt::format(" data-n=\"{}\"", one.n) : out;
}

std::string html_cell(const Value& value) {
  const char* style = value.numeric ? "n" : "x";
  if (!value.missing.empty()) {
    const std::string why = value.text == "-" ? " <small>" + xml(value.missing) + "</small>" : "";
    return fmt::format("<td class=\"{}\">{}{}</td>", style, xml(value.text), why);
  }
  return fmt::format("<td class=\"{}\"{}>{}</td>", style, value.numeric ? numbers_of(value) : "", xml(value.text));
}

std::string html_head(const Table& table) {
  std::string out = "<thead><tr>";
  for (const Column& column : table.columns) {
    out += fmt::format("<th class=\"{}\" data-key=\"{}\" scope=\"col\">{}</th>",
                       column.quantity == Quantity::name ? "x" : "n", xml(column.key), xml(heading(column)));
  }
  return out + "</tr></thead>\n";
}

std::string html_table(const Table& table, bool caption) {
  std::string out = fmt::format("<div class=\"{}\"><table>\n", table.rows.size() > kLongTable ? "wide long" : "wide");
  if (caption) out += tag("caption", xml(table.title));
  out += html_head(table) + "<tbody>\n";
  for (const Row& row : table.rows) {
    out += row.cell.empty() ? "<tr>" : fmt::format("<tr data-cell=\"{}\">", xml(row.cell));
    for (const Value& value : row.values) out += html_cell(value);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  for (const std::string& note : notes_of(table)) out += fmt::format("<p class=\"note\">{}</p>\n", xml(note));
  return out;
}

std::string html_figure(const Figure& figure) {
  return "<figure>\n" + tag("figcaption", xml(figure.title)) + svg(figure) + "<details><summary>data</summary>\n" +
         html_table(figure.table, false) + "</details>\n</figure>\n";
}

std::string html_setup(const std::vector<Fact>& setup) {
  if (setup.empty()) return "";
  std::string out = "<dl>\n";
  for (const Fact& fact : setup) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", xml(fact.name), xml(fact.text));
  return out + "</dl>\n";
}

std::string html_section(const Section& section, size_t number) {
  std::string out = fmt::format("<section id=\"s{}\">\n", number) + tag("h2", xml(section.title));
  for (const std::string& paragraph : section.paragraphs) out += tag("p", xml(paragraph));
  if (!section.findings.empty()) {
    out += "<ul class=\"findings\">\n";
    for (const std::string& finding : section.findings) out += tag("li", xml(finding));
    out += "</ul>\n";
  }
  for (const std::string& command : section.commands) out += tag("pre", xml(command));
  for (const Figure& figure : section.figures) out += html_figure(figure);
  for (const Table& table : section.tables) out += html_table(table, true);
  return out + "</section>\n";
}

std::string html_navigation(const std::vector<Section>& sections) {
  std::string out = "<nav><ul>\n";
  for (size_t i = 0; i < sections.size(); ++i) {
    out += fmt::format("<li><a href=\"#s{}\">{}</a></li>\n", i + 1, xml(sections[i].title));
  }
  return out + "</ul></nav>\n";
}

}  // namespace

std::string html(const ReportModel& model) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  out += tag("title", xml(model.title)) + tag("style", kStyle) + "</head>\n<body>\n" + svg_hatches();
  out += tag("h1", xml(model.title)) + html_navigation(model.sections);
  for (size_t i = 0; i < model.sections.size(); ++i) {
    out += html_section(model.sections[i], i + 1);
    if (i == 0) out += html_setup(model.setup);
  }
  return out + "</body>\n</html>\n";
}

}  // namespace lockstep::report
