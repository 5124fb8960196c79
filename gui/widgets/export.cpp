#include "gui/widgets/export.h"

#include <QFileDialog>
#include <QMessageBox>
#include <QPainter>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <QWidget>

#include "adapters/contract/failure.h"
#include "gui/core/text.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/vectors.h"
#include "results/report/formats.h"
#include "results/report/render.h"
#include "results/report/save.h"

namespace lockstep::gui {
namespace {

namespace fs = std::filesystem;

constexpr int kDotsPerInch = 96;

[[noreturn]] void cannot_write(const fs::path& file) {
  throw Failure("setup",
                Complaint{file.string(), "", "", "cannot be written", "check the folder and its permissions"}.text());
}

void begin(QPainter& painter, QPaintDevice& device, const fs::path& file) {
  if (!painter.begin(&device)) cannot_write(file);
}

void paint_on(QPaintDevice& device, QWidget& widget, const fs::path& file) {
  QPainter painter;
  begin(painter, device, file);
  paint_vectors(widget, painter);
}

void paint_pixels(QWidget& widget, const fs::path& file, double scale) {
  QImage image(widget.size() * scale, QImage::Format_ARGB32_Premultiplied);
  image.fill(background_color());
  QPainter painter;
  begin(painter, image, file);
  painter.scale(scale, scale);
  widget.render(&painter, {}, {}, QWidget::DrawWindowBackground | QWidget::DrawChildren);
  painter.end();
  if (!image.save(qt(file.string()))) cannot_write(file);
}

void paint_svg(QWidget& widget, const fs::path& file) {
  QSvgGenerator svg;
  svg.setFileName(qt(file.string()));
  svg.setSize(widget.size());
  svg.setViewBox(widget.rect());
  svg.setResolution(kDotsPerInch);  // of the widget's fonts, whose points would come out smaller
  svg.setTitle(widget.accessibleName());
  paint_on(svg, widget, file);
}

void paint_pdf(QWidget& widget, const fs::path& file) {
  QPdfWriter pdf(qt(file.string()));
  pdf.setResolution(kDotsPerInch);
  pdf.setPageMargins({});
  pdf.setPageSize(QPageSize(QSizeF(widget.size()) / kDotsPerInch, QPageSize::Inch));
  paint_on(pdf, widget, file);
}

std::string ending_of(const fs::path& file, const std::string& known) {
  const std::string ending = file.extension().string();
  if (ending.empty() || (" " + known + " ").find(" " + ending + " ") == std::string::npos) {
    refuse({file.string(), "", ending, "no ending of a file that can be written", "one of: " + known});
  }
  return ending;
}

QString file_name(const QString& name) {
  QString out = name.toLower();
  return out.replace(QRegularExpression("[^a-z0-9]+"), "-");
}

template <class Write>
void ask_and_write(QWidget* parent, const QString& title, const QString& name, const QString& kinds, Write write) {
  const QString file = QFileDialog::getSaveFileName(parent, title, name, kinds);
  if (file.isEmpty()) return;
  try {
    write(fs::path(utf8(file)));
  } catch (const Failure& failure) {
    QMessageBox::warning(parent, title, QString::fromStdString(failure.what()));
  }
}

}  // namespace

void paint_to_file(QWidget& widget, const fs::path& file, double scale) {
  const std::string ending = ending_of(file, ".png .svg .pdf");
  if (ending == ".png") return paint_pixels(widget, file, scale);
  ending == ".svg" ? paint_svg(widget, file) : paint_pdf(widget, file);
}

void write_tables(const std::vector<report::Table>& tables, const fs::path& file) {
  const std::string ending = ending_of(file, ".csv .json .txt");
  std::string text;
  if (ending == ".json") text = report::to_json(tables, "lockstep.tables");
  for (const report::Table& table : tables) {
    if (ending == ".json") break;
    if (!text.empty()) text += "\n";
    text += ending == ".csv" ? report::csv(table) : report::terminal(table);
  }
  report::save(file, text);
}

void save_picture(QWidget* widget, const QString& name) {
  ask_and_write(widget, "Save picture", file_name(name) + ".png", "Picture (*.png);;Vectors (*.svg);;PDF (*.pdf)",
                [&](const fs::path& file) { paint_to_file(*widget, file, 2); });
}

void save_tables(QWidget* parent, const std::vector<report::Table>& tables, const QString& name) {
  ask_and_write(parent, "Save data", file_name(name) + ".csv", "CSV (*.csv);;JSON (*.json);;Text (*.txt)",
                [&](const fs::path& file) { write_tables(tables, file); });
}

}  // namespace lockstep::gui
