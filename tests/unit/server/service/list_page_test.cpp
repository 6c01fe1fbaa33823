// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "proto/kaname/v1/admin_service.pb.h"
#include "server/service/admin/access.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service::list_page_test {
namespace {

std::string id_of(const v1::Token& row) {
    return row.id();
}

v1::ListTokensResponse page(const std::string& ids, int size, const std::string& token) {
    v1::ListTokensRequest request;
    request.set_page_size(size);
    request.set_page_token(token);
    v1::ListTokensResponse reply;
    for (const char id : ids) {
        reply.add_tokens()->set_id(std::string(1, id));
    }
    keep_page(request, *reply.mutable_tokens(), *reply.mutable_next_page_token(), id_of);
    return reply;
}

std::string ids_of(const v1::ListTokensResponse& reply) {
    std::string ids;
    for (const v1::Token& row : reply.tokens()) {
        ids += row.id();
    }
    return ids;
}

TEST(ListPage, PagesHaveTheWholeListOnce) {
    for (const int size : {1, 2, 3, 4, 5, 6}) {
        std::string all, token;
        do {
            const v1::ListTokensResponse reply = page("abcde", size, token);
            EXPECT_LE(reply.tokens_size(), size);
            all += ids_of(reply);
            token = reply.next_page_token();
        } while (!token.empty());
        EXPECT_EQ(all, "abcde") << size;
    }
    EXPECT_EQ(ids_of(page("abcde", 0, "")), "abcde");
    EXPECT_EQ(ids_of(page("", 2, "")), "");
}

TEST(ListPage, WhatJoinsOrLeavesMovesNoOtherRowOutOfSight) {
    const std::string token = page("abcde", 2, "").next_page_token();

    EXPECT_EQ(ids_of(page("xabcde", 3, token)), "cde");
    EXPECT_EQ(ids_of(page("bcde", 3, token)), "cde");
    EXPECT_EQ(ids_of(page("acde", 3, token)), "cde") << "the row itself has gone: by its place";
    EXPECT_EQ(ids_of(page("a", 3, token)), "");
}

TEST(ListPage, AnotherTokenOrANegativeSizeIsRefused) {
    for (const char* token : {"x", "1", "-1.a", ".a", "1x.a"}) {
        EXPECT_THROW((void)page("ab", 1, token), ValidationError) << token;
    }
    EXPECT_THROW((void)page("ab", -1, ""), ValidationError);
}

}  // namespace
}  // namespace kaname::service::list_page_test
