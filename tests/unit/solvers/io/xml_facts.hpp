// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kaname::io {

inline std::size_t count(const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++n;
    }
    return n;
}

/// Every element that is opened is closed by its own name.
inline void expect_well_formed(const std::string& xml) {
    std::vector<std::string> open;
    const std::regex tag("<(/?)([A-Za-z0-9]+)((?: [A-Za-z_]+=\"[^\"<>]*\")*)(/?)>");
    std::size_t brackets = 0;
    for (std::sregex_iterator at(xml.begin(), xml.end(), tag), end; at != end; ++at) {
        ++brackets;
        if ((*at)[1] == "/") {
            ASSERT_FALSE(open.empty());
            ASSERT_EQ(open.back(), (*at)[2]);
            open.pop_back();
        } else if ((*at)[4] != "/") {
            open.push_back((*at)[2]);
        }
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(brackets + 1, count(xml, "<"));  // the first line is the declaration
    EXPECT_EQ(brackets + 1, count(xml, ">"));
}

}  // namespace kaname::io
