// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace kaname::service {

/// `field = "value"`
struct FilterCondition {
    std::string field, value;
    char sign = '=';        ///< or < or >
    std::size_t place = 0;  ///< of the value, in the text
};

/// Lists the fields that a filter may have.
struct FilterFields {
    std::vector<std::string> names;
    const char* example;  ///< `state = "active" AND title = "x"`
    /// Fields that also take < and >, and those whose values need no quotes: true and false.
    std::vector<std::string> ordered = {}, bare = {};
};

/// Conditions joined by AND: a small part of AIP-160. Errors are ValidationErrors of `filter` that
/// name the place in the text.
class FilterText {
public:
    FilterText(const std::string& text, const FilterFields& fields)
        : text_(text), fields_(fields) {}

    std::vector<FilterCondition> parse();
    [[noreturn]] void fail_at(std::size_t place, const std::string& what) {
        at_ = place;
        fail(what);
    }

private:
    [[noreturn]] void fail(const std::string& what) const;
    void skip_spaces();
    std::string word();
    std::string value(const std::string& field);
    FilterCondition condition();

    const std::string& text_;
    const FilterFields& fields_;
    std::size_t at_ = 0;
};

}  // namespace kaname::service
