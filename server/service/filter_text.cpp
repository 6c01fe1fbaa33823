// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/filter_text.hpp"

#include <algorithm>
#include <cctype>

#include "server/service/request_fields.hpp"
#include "solvers/base/shown.hpp"

namespace kaname::service {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

/// "state, title or owner"
std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t k = 0; k < names.size(); ++k) {
        text += (k == 0 ? "" : k + 1 == names.size() ? " or " : ", ") + names[k];
    }
    return text;
}

}  // namespace

std::vector<FilterCondition> FilterText::parse() {
    std::vector<FilterCondition> found;
    if (const std::size_t nul = text_.find('\0'); nul != std::string::npos) {
        at_ = nul;
        fail("must have no NUL");
    }
    skip_spaces();
    while (at_ < text_.size()) {
        found.push_back(condition());
        skip_spaces();
        if (at_ == text_.size()) {
            break;
        }
        if (word() != "AND") {
            fail("expected AND");
        }
        skip_spaces();
        if (at_ == text_.size()) {
            fail("expected a condition after AND");
        }
    }
    return found;
}

void FilterText::fail(const std::string& what) const {
    refuse("filter", std::string("must be like ") + fields_.example + ": " + what +
                         " at character " + std::to_string(at_ + 1) + " of '" +
                         shown_on_a_line(text_.substr(0, 200)) + "'");
}

void FilterText::skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') {
        ++at_;
    }
}

std::string FilterText::word() {
    const std::size_t first = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
        ++at_;
    }
    return text_.substr(first, at_ - first);
}

std::string FilterText::value(const std::string& field) {
    const std::size_t start = at_;
    if (at_ < text_.size() && text_[at_] != '"' && has(fields_.bare, field)) {
        std::string found = word();
        if (!found.empty()) {
            return found;
        }
        at_ = start;
    }
    if (at_ == text_.size() || text_[at_] != '"') {
        fail("expected a value in double quotes");
    }
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string::npos) {
        fail("the value has no closing quote");
    }
    std::string found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
}

FilterCondition FilterText::condition() {
    const std::size_t start = at_;
    FilterCondition found{word(), ""};
    if (!has(fields_.names, found.field)) {
        at_ = start;
        fail("expected " + listed(fields_.names));
    }
    skip_spaces();
    const bool ordered = has(fields_.ordered, found.field);
    if (at_ == text_.size() ||
        (text_[at_] != '=' && !(ordered && (text_[at_] == '<' || text_[at_] == '>')))) {
        fail(ordered ? "expected =, < or >" : "expected =");
    }
    found.sign = text_[at_++];
    skip_spaces();
    found.place = at_;
    found.value = value(found.field);
    return found;
}

}  // namespace kaname::service
