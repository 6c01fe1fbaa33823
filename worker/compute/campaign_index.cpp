// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/campaign_index.hpp"

#include <algorithm>
#include <cctype>

#include "proto/kaname/v1/campaign_index.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/io/dataset/campaign_index.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

/// "absent waiting active ...": the words of the states by their numbers.
std::string words_of_states() {
    std::string words = "absent";
    for (int state = 1; state < v1::CampaignMember::State_ARRAYSIZE; ++state) {
        words += ' ' + v1::CampaignMember::State_Name(state);
    }
    std::ranges::transform(words, words.begin(), [](unsigned char c) { return std::tolower(c); });
    return words;
}

io::CampaignIndexInput input_of(const v1::CampaignIndex& record) {
    io::CampaignIndexInput input;
    input.name = record.campaign().name();
    input.title = record.campaign().title();
    input.states = words_of_states();
    for (const v1::CampaignAxis& axis : record.campaign().axes()) {
        input.axes.push_back(
            {axis.name(), axis.along(), axis.unit(), {axis.values().begin(), axis.values().end()}});
    }
    for (const v1::CampaignIndex::Entry& entry : record.members()) {
        const v1::CampaignMember& member = entry.member();
        input.members.push_back({member.label(),
                                 {member.values().begin(), member.values().end()},
                                 static_cast<std::int8_t>(member.state()),
                                 member.job(),
                                 member.dataset().sha256(),
                                 member.error(),
                                 entry.file()});
    }
    return input;
}

}  // namespace

int campaign_index(const std::string& record, const std::string& out, Reporter& reporter) {
    const std::string text = read_file_if_any(record);
    if (text.empty()) {
        throw Error(ErrorCode::NotFound, record + ": there is no record of a campaign");
    }
    const io::CampaignIndexSummary summary =
        io::write_campaign_index(out, input_of(report::parse<v1::CampaignIndex>(text, record)));
    v1::CampaignIndexReport found;
    found.set_file(out);
    found.set_members(report::count(static_cast<std::int64_t>(summary.places)));
    found.set_files(report::count(static_cast<std::int64_t>(summary.files)));
    found.mutable_dimensions()->Assign(summary.dimensions.begin(), summary.dimensions.end());
    found.set_greens(summary.greens);
    found.set_why(summary.why);
    reporter.result("campaign-index", found);
    return run::kExitOk;
}

}  // namespace kaname::compute
