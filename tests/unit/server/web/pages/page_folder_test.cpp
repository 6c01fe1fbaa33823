// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>

#include <gtest/gtest.h>

#include "server/web/pages/site.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::pages::page_folder_test {
namespace {

namespace fs = std::filesystem;

class PageFolderTest : public testing::Test {
protected:
    PageFolderTest() {
        fs::create_directories(folder_ / "assets");
        write_file(place_.path() / "secret", "secret");
        write_file(folder_ / "index.html", "<html>");
        write_file(folder_ / "assets/page-abc.js", "go()");
        write_file(folder_ / ".env", "secret");
        fs::create_symlink(place_.path() / "secret", folder_ / "link");
    }
    http::Answer get(const std::string& path, std::map<std::string, std::string> headers = {}) {
        const http::Page page = served_.page();
        EXPECT_TRUE(page.open);
        return page.answer({.method = "GET",
                            .path = path,
                            .headers = std::move(headers),
                            .rest = path.substr(page.path.size())});
    }
    int status(const std::string& path) {
        try {
            return get(path).status;
        } catch (const Error& error) {
            return error.code() == ErrorCode::NotFound ? 404 : 500;
        }
    }
    static std::string header(const http::Answer& answer, const std::string& wanted) {
        for (const auto& [name, value] : answer.headers) {
            if (name == wanted) {
                return value;
            }
        }
        return "";
    }

    TemporaryFolder place_;
    const fs::path folder_ = place_.path() / "page";
    PageFolder served_{folder_};
};

TEST_F(PageFolderTest, FilesComeWithTheirTypes) {
    EXPECT_EQ(get("/").text, "<html>");
    EXPECT_EQ(get("/index.html").text, "<html>");
    EXPECT_EQ(header(get("/"), "Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(header(get("/"), "Cache-Control"), "no-cache");
    EXPECT_EQ(get("/assets/page-abc.js").text, "go()");
    EXPECT_EQ(header(get("/assets/page-abc.js"), "Content-Type"), "text/javascript; charset=utf-8");
    EXPECT_EQ(header(get("/assets/page-abc.js"), "Cache-Control"),
              "public, max-age=31536000, immutable");
    const std::string tag = header(get("/"), "ETag");
    EXPECT_EQ(get("/", {{"if-none-match", tag}}).status, 304);
    EXPECT_EQ(get("/", {{"if-none-match", tag}}).text, "");
}

TEST_F(PageFolderTest, NothingElseIsServed) {
    for (const char* path : {"/../secret", "/assets/../../secret", "/..", "//etc/passwd", "/assets",
                             "/assets/", "/.env", "/link", "/index.html/", "/%2e%2e/secret",
                             "/assets/..\\..\\secret", "/v1/nothing"}) {
        EXPECT_EQ(status(path), 404) << path;
    }
}

TEST_F(PageFolderTest, ANewBuildIsSeen) {
    EXPECT_EQ(get("/").text, "<html>");
    write_file(folder_ / "assets/page-def.js", "stop()");
    write_file(folder_ / "index.html", "<html lang=en>");
    fs::last_write_time(folder_ / "index.html",
                        fs::file_time_type::clock::now() + std::chrono::seconds(5));

    EXPECT_EQ(get("/").text, "<html lang=en>");
    EXPECT_EQ(get("/assets/page-def.js").text, "stop()");
}

TEST_F(PageFolderTest, WithoutAPageItSaysWhereItLooks) {
    fs::remove_all(folder_);

    EXPECT_NE(get("/").text.find("--page-folder"), std::string::npos);
    EXPECT_EQ(get("/").text.find("<script"), std::string::npos);
    EXPECT_EQ(get("/").text.find("style"), std::string::npos);
    EXPECT_EQ(status("/assets/page-abc.js"), 404);
}

TEST_F(PageFolderTest, AFolderThatIsNoPageIsRefused) {
    for (std::size_t k = 0; k <= PageFolder::kMostFiles; ++k) {
        std::ofstream(folder_ / std::to_string(k));  // of which the disk need not know
    }
    EXPECT_EQ(status("/"), 500);
}

}  // namespace
}  // namespace kaname::pages::page_folder_test
