// Two harnesses at once on one store, as processes of their own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "results/store/store.h"
#include "tests/results/store_records.h"

namespace lockstep::store {
namespace {

using testing::Folder;

constexpr int kLaunches = 40;

pid_t in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  int result = 99;
  try {
    result = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
  }
  _exit(result);
}

int exit_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// Also creates the file: both writers race for that too.
int write_campaign(const std::string& path) {
  Store store = Store::open(path, OpenMode::create);
  const CampaignRow campaign = store.begin_campaign({});
  for (int i = 1; i <= kLaunches; ++i) {
    store.import_launch(testing::record(campaign, i, testing::cell("mlp:tiny", "reference", "serial")));
  }
  store.end_campaign(campaign.id, CampaignStatus::finished, 1);
  return 0;
}

// Whatever is visible is whole, and nothing that was seen is gone later.
int read_until_done(const std::string& path) {
  while (!std::filesystem::exists(path)) usleep(1000);
  size_t seen = 0;
  for (;;) {
    Store store = Store::open(path, OpenMode::create);
    const std::vector<LaunchRow> launches = store.launches({});
    if (launches.size() < seen) return 1;
    seen = launches.size();
    for (const LaunchRow& launch : launches) {
      if (store.series(launch.id).size() != 2 || store.fingerprints(launch.id).size() != 3) return 2;
    }
    if (seen == 2 * kLaunches) return 0;
  }
}

TEST(StoreConcurrent, TwoWritersAndTwoReadersLoseNothing) {
  Folder folder;
  const std::string path = folder.file();
  const pid_t children[] = {
      in_child([&] { return write_campaign(path); }), in_child([&] { return write_campaign(path); }),
      in_child([&] { return read_until_done(path); }), in_child([&] { return read_until_done(path); })};
  for (const pid_t child : children) EXPECT_EQ(exit_of(child), 0);
  Store store = Store::open(path, OpenMode::read_only);
  const std::vector<CampaignRow> campaigns = store.campaigns();
  ASSERT_EQ(campaigns.size(), 2u);
  for (const CampaignRow& campaign : campaigns) {
    EXPECT_EQ(campaign.status, CampaignStatus::finished);
    LaunchFilter filter;
    filter.campaign = campaign.id;
    EXPECT_EQ(store.launches(filter).size(), static_cast<size_t>(kLaunches));
  }
}

// A writer that is killed in the middle leaves whole launches or none.
TEST(StoreConcurrent, AKilledWriterLeavesWholeLaunches) {
  Folder folder;
  const std::string path = folder.file();
  const pid_t writer = in_child([&] {
    for (;;) write_campaign(path);
    return 0;
  });
  while (!std::filesystem::exists(path)) usleep(1000);
  usleep(300'000);
  kill(writer, SIGKILL);
  EXPECT_EQ(exit_of(writer), 128);
  Store store = Store::open(path, OpenMode::create);
  for (const LaunchRow& launch : store.launches({})) {
    ASSERT_EQ(store.series(launch.id).size(), 2u);
    ASSERT_EQ(store.artifacts(launch.id).size(), 1u);
  }
  EXPECT_TRUE(store.import_launch(
      testing::record(store.begin_campaign({}), 1, testing::cell("mlp:tiny", "reference", "serial"))));
}

}  // namespace
}  // namespace lockstep::store
