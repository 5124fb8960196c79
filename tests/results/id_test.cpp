#include "results/store/id.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "results/store/file_system.h"
#include "results/store/rows.h"
#include "tests/results/store_records.h"

namespace lockstep::store {
namespace {

TEST(Id, IsAUuidOfVersionSevenAndUnique) {
  std::set<std::string> seen;
  for (int i = 0; i < 2000; ++i) {
    const std::string id = make_id();
    ASSERT_TRUE(is_id(id)) << id;
    ASSERT_EQ(id[12], '7');
    ASSERT_NE(std::string("89ab").find(id[16]), std::string::npos);
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 2000u);
}

TEST(Id, LaterSortsLater) {
  const std::string first = make_id();
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  EXPECT_LT(first, make_id());
}

TEST(Id, OnlyLowerCaseHexIsOne) {
  EXPECT_FALSE(is_id(""));
  EXPECT_FALSE(is_id(std::string(32, 'G')));
  EXPECT_FALSE(is_id(std::string(31, 'a')));
  EXPECT_TRUE(is_id(std::string(32, 'a')));
}

TEST(UtcText, KnownMoments) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(1'709'210'096'789'000'000), "2024-02-29T12:34:56.789Z");
}

TEST(ContentHash, DependsOnTheTextAlone) {
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");  // XXH3-128 of nothing, seed 0
  EXPECT_NE(content_hash("a"), content_hash("b"));
}

TEST(Words, ParseToThemselves) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(parse_launch_mode(to_text(static_cast<LaunchMode>(i))), static_cast<LaunchMode>(i));
    EXPECT_EQ(parse_campaign_status(to_text(static_cast<CampaignStatus>(i))), static_cast<CampaignStatus>(i));
    EXPECT_EQ(parse_proof_state(to_text(static_cast<ProofState>(i))), static_cast<ProofState>(i));
  }
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(parse_launch_status(to_text(static_cast<LaunchStatus>(i))), static_cast<LaunchStatus>(i));
  }
  EXPECT_EQ(testing::failure_of([] { parse_launch_mode("fast"); }),
            "usage: mode: \"fast\": one of time, verify, profile, converge");
}

TEST(FileSystems, NetworkOnesAreNamed) {
  EXPECT_STREQ(file_system_without_locks(0x6969), "NFS");
  EXPECT_STREQ(file_system_without_locks(0x0BD00BD0), "Lustre");
  EXPECT_STREQ(file_system_without_locks(static_cast<int32_t>(0xFF534D42)), "CIFS");  // sign-extended where f_type is
  EXPECT_STREQ(file_system_without_locks(0xEF53), "");                                // ext4
  EXPECT_STREQ(file_system_without_locks(0x01021994), "");                            // tmpfs
}

}  // namespace
}  // namespace lockstep::store
