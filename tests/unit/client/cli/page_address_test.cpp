// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "client/cli/admin/page.hpp"

namespace kaname::cli::page_address_test {
namespace {

TEST(PageAddress, ViewsOfJobsNameThem) {
    EXPECT_EQ(job_of_view("map/latest"), "latest");
    EXPECT_EQ(job_of_view("job/12ab"), "12ab");
    for (const char* view : {"", "map", "map/", "workers", "workers/1", "/map/latest"}) {
        EXPECT_FALSE(job_of_view(view)) << view;
    }
    EXPECT_EQ(with_job("map/latest", "0f-1"), "map/0f-1");
}

TEST(PageAddress, NothingBreaksOutOfIt) {
    EXPECT_EQ(page_address("http://127.0.0.1:1", "abc", ""), "http://127.0.0.1:1/#login=abc");
    EXPECT_EQ(page_address("http://127.0.0.1:1", "abc", "map/0f-1"),
              "http://127.0.0.1:1/#login=abc&to=/map/0f-1");
    EXPECT_EQ(page_address("u", "c", "a\"><&#' \xff"), "u/#login=c&to=/a%22%3E%3C%26%23%27%20%FF");
}

}  // namespace
}  // namespace kaname::cli::page_address_test
