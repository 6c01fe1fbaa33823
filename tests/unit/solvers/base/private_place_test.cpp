// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname::private_place_test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 4711;

mode_t mode_of(const fs::path& path) {
    struct stat is {};
    EXPECT_EQ(::lstat(path.c_str(), &is), 0);
    return is.st_mode & 07777U;
}

/// The message with which something is not allowed; empty: it is.
std::string refusal_of(const std::function<void()>& check) {
    try {
        check();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::PermissionDenied);
        return error.what();
    }
    return "";
}

class PrivatePlaceTest : public testing::Test {
protected:
    PrivatePlaceTest() : umask_(::umask(0)) {}
    ~PrivatePlaceTest() override { ::umask(umask_); }

    /// Makes a file that everybody may write to where the umask lets them.
    fs::path file(const fs::path& name, mode_t mode = 0600) {
        const fs::path path = folder_.path() / name;
        write_file(path, "x");
        ::chmod(path.c_str(), mode);
        return path;
    }

    TemporaryFolder folder_;
    mode_t umask_;
};

TEST_F(PrivatePlaceTest, IsMadeForItsOwnerAloneWhateverTheUmask) {
    for (const mode_t mask : {0000, 0002, 0777}) {
        ::umask(mask);
        const fs::path top = folder_.path() / std::to_string(mask);

        make_private_folder(top / "state");

        EXPECT_EQ(mode_of(top), ::geteuid() == 0 ? 0711U : 0700U) << mask;
        EXPECT_EQ(mode_of(top / "state"), 0700U) << mask;
    }
}

TEST_F(PrivatePlaceTest, KeepsTheModeOfWhatIsThere) {
    ::mkdir((folder_.path() / "s").c_str(), 0711);

    make_private_folder(folder_.path() / "s");

    EXPECT_EQ(mode_of(folder_.path() / "s"), 0711U);
}

TEST_F(PrivatePlaceTest, ThatGroupOrOthersMayWriteToIsNamedWithItsMode) {
    for (const mode_t mode : {0620, 0602, 01777}) {
        const fs::path path = file("f", mode);
        const std::string refusal = refusal_of([&] { check_private(path); });
        EXPECT_NE(refusal.find(path.string() + ": must not be writable by group or others"),
                  std::string::npos);
        char text[16];
        std::snprintf(text, sizeof text, "mode %04o", static_cast<unsigned>(mode));
        EXPECT_NE(refusal.find(text), std::string::npos) << refusal;
    }
    EXPECT_EQ(refusal_of([&] { check_private(file("f", 0644)); }), "");
    EXPECT_EQ(refusal_of([&] { check_private(folder_.path() / "none"); }), "");
}

TEST_F(PrivatePlaceTest, OfAnotherUserIsRefusedUnlessHeIsExpected) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give files away";
    }
    const fs::path path = file("f");
    ASSERT_EQ(::chown(path.c_str(), kStranger, kStranger), 0);

    EXPECT_NE(refusal_of([&] { check_private(path); }).find("got user 4711, mode 0600"),
              std::string::npos);
    EXPECT_EQ(refusal_of([&] { check_private(path, kStranger); }), "");
}

TEST_F(PrivatePlaceTest, StateFolderIsCheckedWithWhatIsInIt) {
    ::mkdir((folder_.path() / "tls").c_str(), 0700);
    const fs::path state = folder_.path();
    for (const char* name : {"tokens", "tls/key.pem"}) {
        EXPECT_EQ(refusal_of([&] { check_state_folder(state); }), "");
        const fs::path path = file(name, 0666);
        EXPECT_NE(refusal_of([&] { check_state_folder(state); }).find(path.string()),
                  std::string::npos);
        fs::remove(path);
    }
    ::chmod(state.c_str(), 0770);
    EXPECT_NE(refusal_of([&] { check_state_folder(state); }).find("mode 0770"), std::string::npos);
}

TEST_F(PrivatePlaceTest, LinksCountThemselves) {
    file("open", 0666);
    ::mkdir((folder_.path() / "state").c_str(), 0700);
    fs::create_symlink("../open", folder_.path() / "state/link");

    EXPECT_EQ(refusal_of([&] { check_state_folder(folder_.path() / "state"); }), "");
}

}  // namespace
}  // namespace kaname::private_place_test
