#include "results/json/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace lockstep::json {
namespace {

TEST(Writer, WhatItWritesAStrictParserReadsBack) {
  Writer out;
  out.open_object().member("a", 0.1).member("b", int64_t{1} << 62).member("c", true).key("d").open_array();
  out.value("x\"\\\n\t\x01").value(std::numeric_limits<double>::quiet_NaN());
  out.value(-std::numeric_limits<double>::infinity()).open_object().close().open_array().close().close();
  out.known("gone", std::nan("")).known("empty", "").member("none", std::optional<int>{}).key("raw").raw("[1]");
  const auto parsed = nlohmann::json::parse(out.close().text());
  EXPECT_EQ(parsed["a"], 0.1);
  EXPECT_EQ(parsed["b"], int64_t{1} << 62);
  EXPECT_EQ(parsed["d"], nlohmann::json::parse(R"(["x\"\\\n\t\u0001", "NaN", "-Infinity", {}, []])"));
  EXPECT_EQ(parsed.size(), 5U);
}

TEST(Writer, TextThatIsNoUtf8IsMendedNotPassedOn) {
  EXPECT_EQ(nlohmann::json::parse(quoted("a\xFF"
                                         "b")),
            "a\xEF\xBF\xBD"
            "b");
  // Overlong, a surrogate, cut short: none of it may stay; the euro sign must.
  const auto text = nlohmann::json::parse(quoted("\xC0\x80\xED\xA0\x80 \xE2\x82\xAC \xE2\x82")).get<std::string>();
  EXPECT_NE(text.find(" \xE2\x82\xAC "), std::string::npos);
}

}  // namespace
}  // namespace lockstep::json
