// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/campaign_download.hpp"

#include <iostream>

#include "client/cli/follow.hpp"
#include "client/cli/format.hpp"
#include "client/cli/progress_view.hpp"
#include "client/cli/verb_report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/shown.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "campaign.json";
constexpr const char* kIndex = "index.nc";
constexpr const char* kMembers = "members";

/// Refuses a folder that another campaign's files are in: members may have the same names.
void check_folder(const fs::path& folder, const v1::Campaign& campaign) {
    const fs::path record = folder / kRecord;
    if (!fs::exists(record)) {
        check_can_write("--output", folder);
        return;
    }
    const auto there = report::parse<v1::CampaignIndex>(read_file_if_any(record), record.string());
    if (there.campaign().name() != campaign.name()) {
        throw Error(ErrorCode::Conflict, "--output: '" + folder.string() +
                                             "' has the files of another campaign, " +
                                             there.campaign().title() + "; give another folder");
    }
}

void fetch_member(client::Client& client, const v1::Dataset& dataset, const fs::path& path,
                  std::size_t number, std::size_t all) {
    const OutputPlace place("--output", path, true);
    place.make_folder();
    place.check_space(static_cast<double>(dataset.bytes()));
    ProgressView view(std::cerr, terminal_columns());
    (void)client.download(
        dataset.sha256(), place.part().string(), [&](std::int64_t done, std::int64_t total) {
            const double part =
                total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1.0;
            view.show({"download", (static_cast<double>(number) + part) / static_cast<double>(all),
                       std::nullopt, path.filename().string()});
        });
    place.put(place.part());
}

}  // namespace

CampaignFiles download_campaign(client::Client& client, const v1::Campaign& campaign,
                                const fs::path& folder, const Context& context) {
    check_folder(folder, campaign);
    CampaignFiles files;
    v1::CampaignIndex index;
    *index.mutable_campaign() = campaign;
    const std::string id = campaign.name().substr(campaign.name().find('/') + 1);
    const auto members = client.list_members(id, "");
    for (std::size_t k = 0; k < members.size(); ++k) {
        v1::CampaignIndex::Entry& entry = *index.add_members();
        *entry.mutable_member() = members[k];
        entry.mutable_member()->clear_specification();
        if (!members[k].has_dataset()) {
            ++files.missing;
            continue;
        }
        const std::string file = fs::path(kMembers) / file_name_of(members[k].label(), ".h5");
        entry.set_file(file);
        if (holds(folder / file, members[k].dataset())) {
            ++files.there;
            continue;
        }
        fetch_member(client, members[k].dataset(), folder / file, k, members.size());
        files.bytes += static_cast<double>(members[k].dataset().bytes());
        ++files.fetched;
    }
    fs::create_directories(folder);
    write_file(folder / kRecord, report::to_json(index, report::Layout::Indented));
    files.index = verb_report<v1::CampaignIndexReport>(
        context.compute, {"campaign-index", "--record", (folder / kRecord).string(), "--out",
                          (folder / kIndex).string()});
    return files;
}

}  // namespace kaname::cli
