#pragma once

#include <QString>
#include <string>

namespace lockstep::gui {

/// Text of the project is UTF-8; what is not becomes U+FFFD.
inline QString qt(const std::string& text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline std::string utf8(const QString& text) { return text.toStdString(); }

/// "2026-11-28 17:47" in local time; empty for 0.
QString time_text(int64_t utc_ns);

}  // namespace lockstep::gui
