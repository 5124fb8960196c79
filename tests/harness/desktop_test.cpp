#include "harness/launch/desktop.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/harness/lab.h"

namespace lockstep::launch {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A folder with scripts in place of programs, first in PATH.
class DesktopTest : public ::testing::Test {
 protected:
  void script(const std::string& name, const std::string& body) {
    const fs::path file = lab_.folder / name;
    std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }

  testing::Lab lab_;
  testing::Variable path_{"PATH", lab_.folder.string() + ":/usr/bin:/bin"};
};

TEST_F(DesktopTest, NamesThePackagesThatABuildLacks) {
  script("dpkg-query",
         "echo qt6-base-dev installed; echo qt6-svg-dev installed; echo libgl-dev installed; "
         "echo libqcustomplot-dev deinstalled; echo 'no packages found matching libopengl-dev' >&2; exit 1");
  EXPECT_THAT(packages_for_desktop(), ElementsAre("libqcustomplot-dev", "libopengl-dev"));
  const Desktop found = find_desktop(lab_.folder);
  EXPECT_THAT(found.missing,
              AllOf(HasSubstr("not built"), HasSubstr("apt-get install libqcustomplot-dev libopengl-dev"),
                    HasSubstr("-DLOCKSTEP_GUI=ON"), Not(HasSubstr("qt6"))));
}

TEST_F(DesktopTest, WithAllPackagesItOnlyHasToBeBuilt) {
  script("dpkg-query", "for p in \"$@\"; do case $p in -*) ;; *) echo $p installed;; esac; done");
  EXPECT_THAT(packages_for_desktop(), IsEmpty());
  EXPECT_THAT(find_desktop(lab_.folder).missing, AllOf(HasSubstr("its packages are there"), Not(HasSubstr("apt-get"))));
}

TEST_F(DesktopTest, SaysWhatItIsOrWhyItDoesNotStart) {
  script("lockstep-gui", "echo lockstep-gui 9.9, Qt 6.4");
  EXPECT_EQ(find_desktop(lab_.folder).missing, "");
  EXPECT_EQ(find_desktop(lab_.folder).version, "lockstep-gui 9.9, Qt 6.4");
  script("lockstep-gui", "echo 'error while loading shared libraries: libQt6Widgets.so.6' >&2; exit 127");
  EXPECT_THAT(find_desktop(lab_.folder).missing, HasSubstr("libQt6Widgets.so.6"));
}

}  // namespace
}  // namespace lockstep::launch
