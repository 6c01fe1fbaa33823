// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/filter.hpp"

#include <cctype>
#include <utility>
#include <vector>

#include "server/service/context.hpp"

namespace kaname::service {
namespace {

struct Condition {
    std::string field, value;
    std::size_t place = 0;  ///< of the value, in the text
};

class Parser {
public:
    /// `fields`: those that there are, as in "state, title or owner".
    Parser(const std::string& text, std::string fields) : text_(text), fields_(std::move(fields)) {}

    std::vector<Condition> parse() {
        std::vector<Condition> found;
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
    [[noreturn]] void fail_at(std::size_t place, const std::string& what) {
        at_ = place;
        fail(what);
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
    Condition condition() {
        const std::size_t start = at_;
        Condition found{word(), "", 0};
        if ((found.field != "state" &&
             (fields_ == "state" || (found.field != "title" && found.field != "owner")))) {
            at_ = start;
            fail("expected " + fields_);
        }
        skip_spaces();
        if (at_ == text_.size() || text_[at_] != '=') {
            fail("expected =");
        }
        ++at_;
        skip_spaces();
        found.place = at_;
        found.value = value();
        return found;
    }

    const std::string& text_;
    const std::string fields_;
    std::size_t at_ = 0;
};

constexpr const char* kFieldsOfJobs = "state, title or owner";

}  // namespace

store::JobFilter parse_filter(const std::string& text) {
    Parser parser(text, kFieldsOfJobs);
    store::JobFilter filter;
    for (const Condition& condition : parser.parse()) {
        if (condition.field == "title") {
            filter.name = condition.value;
        } else if (condition.field == "owner") {
            filter.owner = condition.value;
        } else {
            filter.state.reset();
            for (const auto state : {store::JobState::Active, store::JobState::Done,
                                     store::JobState::Failed, store::JobState::Cancelled}) {
                if (to_string(state) == condition.value) {
                    filter.state = state;
                }
            }
            if (!filter.state) {
                parser.fail_at(condition.place, "state must be active, done, failed or cancelled");
            }
        }
    }
    return filter;
}

store::CampaignFilter parse_campaign_filter(const std::string& text) {
    Parser parser(text, kFieldsOfJobs);
    store::CampaignFilter filter;
    for (const Condition& condition : parser.parse()) {
        if (condition.field == "title") {
            filter.title = condition.value;
        } else if (condition.field == "owner") {
            filter.owner = condition.value;
        } else {
            filter.state = store::campaign_state_named(condition.value);
            if (!filter.state) {
                parser.fail_at(condition.place,
                               "state must be active, paused, done, failed or cancelled");
            }
        }
    }
    return filter;
}

std::optional<store::MemberState> parse_member_filter(const std::string& text) {
    Parser parser(text, "state");
    std::optional<store::MemberState> state;
    for (const Condition& condition : parser.parse()) {
        state = store::member_state_named(condition.value);
        if (!state) {
            parser.fail_at(condition.place,
                           "state must be waiting, active, done, failed, cancelled or refused");
        }
    }
    return state;
}

}  // namespace kaname::service
