// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/filter.hpp"

#include <cctype>

#include "server/service/context.hpp"

namespace kaname::service {
namespace {

class Parser {
public:
    explicit Parser(const std::string& text) : text_(text) {}

    store::JobFilter parse() {
        skip_spaces();
        while (at_ < text_.size()) {
            condition();
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
        return filter_;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        refuse("filter", "must be like state = \"active\" AND title = \"x\": " + what +
                             " at character " + std::to_string(at_ + 1) + " of '" +
                             text_.substr(0, 200) + "'");
    }
    void skip_spaces() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
    }
    std::string word() {
        const std::size_t first = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
            ++at_;
        }
        return text_.substr(first, at_ - first);
    }
    std::string value() {
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
    void condition() {
        const std::size_t start = at_;
        const std::string field = word();
        if (field != "state" && field != "title" && field != "owner") {
            at_ = start;
            fail("expected state, title or owner");
        }
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != '=') {
            fail("expected =");
        }
        ++at_;
        skip_spaces();
        const std::size_t place = at_;
        const std::string wanted = value();
        if (field == "title") {
            filter_.name = wanted;
        } else if (field == "owner") {
            filter_.owner = wanted;
        } else {
            for (const auto state : {store::JobState::Active, store::JobState::Done,
                                     store::JobState::Failed, store::JobState::Cancelled}) {
                if (to_string(state) == wanted) {
                    filter_.state = state;
                    return;
                }
            }
            at_ = place;
            fail("state must be active, done, failed or cancelled");
        }
    }

    const std::string& text_;
    std::size_t at_ = 0;
    store::JobFilter filter_;
};

}  // namespace

store::JobFilter parse_filter(const std::string& text) {
    return Parser(text).parse();
}

}  // namespace kaname::service
