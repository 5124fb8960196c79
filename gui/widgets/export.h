#pragma once

#include <QString>
#include <filesystem>
#include <vector>

#include "results/report/model.h"

class QWidget;

namespace lockstep::gui {

/// Paints a widget into FILE.png, FILE.svg or FILE.pdf, whatever its ending says. Throws Failure("usage") for another
/// ending, Failure("setup") where the file cannot be written.
void paint_to_file(QWidget& widget, const std::filesystem::path& file, double scale = 1);

/// The tables as FILE.csv, FILE.json or FILE.txt, exactly what is shown. Throws the same.
void write_tables(const std::vector<report::Table>& tables, const std::filesystem::path& file);

/// The same after asking for a file; what goes wrong is said in a dialog.
void save_picture(QWidget* widget, const QString& name);
void save_tables(QWidget* parent, const std::vector<report::Table>& tables, const QString& name);

}  // namespace lockstep::gui
