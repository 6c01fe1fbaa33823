// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/waves_report.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include "proto/kaname/v1/campaign_index.pb.h"
#include "proto/report/report.hpp"
#include "proto/request/form/json.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/fault/slip_model/kinematic_sources.hpp"
#include "solvers/io/dataset/campaign_index.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

constexpr int kListed = 20;

constexpr const char* kStatus[3] = {"missing", "done", "failed"};

template <class Place>
std::string xyz_text(const Place& at) {
    return "x " + formatted("%.6g", at.x_m()) + ", y " + formatted("%.6g", at.y_m()) + ", z " +
           formatted("%.6g m", at.z_m());
}

std::string padded(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

std::string more(std::ptrdiff_t n, const char* where = "--json lists them") {
    return n > kListed ? "  ... " + std::to_string(n) + " in all; " + where + "\n" : "";
}

std::string source_line(const v1::WavesReport::Source& source) {
    return "  " + padded(source.id(), 16) + " " +
           (source.status().empty() ? "" : padded(source.status(), 8) + " ") + xyz_text(source) +
           (source.has_moment_magnitude() ? formatted(", Mw %.2f", source.moment_magnitude())
                                          : "") +
           (source.failure().empty() ? "" : "  " + source.failure()) + "\n";
}

/// `given`: the sources of known motion in the run of a rupture.
std::string waves_text(const v1::WavesReport& report,
                       const std::vector<v1::WavesReport::Source>& given) {
    std::string text =
        report.title() + "\n" + std::to_string(report.samples()) + " samples, one every " +
        formatted("%.6g s", report.interval_s()) + "; " + report.quantity() + " in " +
        report.unit() + "; steps of " + formatted("%.6g s", report.step_s()) + ", " +
        (report.elements() > 0 ? std::to_string(report.elements()) + " tetrahedra of order " +
                                     std::to_string(report.order())
                               : "voxels of " + formatted("%.6g m", report.voxel_size_m())) +
        ", " + formatted("%.3g", report.points_per_wavelength()) + " in the shortest wavelength\n";
    if (!report.snapshots_s().empty()) {
        text += std::to_string(report.snapshots_s_size()) + " snapshots\n";
    }
    text += "sources:\n";
    for (int k = 0; k < std::min(kListed, report.sources_size()); ++k) {
        text += source_line(report.sources(k));
    }
    text += more(report.sources_size());
    if (!given.empty()) {
        text += "sources of known motion in its run:\n";
    }
    for (std::size_t k = 0; k < std::min<std::size_t>(kListed, given.size()); ++k) {
        text += source_line(given[k]);
    }
    text += more(std::ssize(given), "group given_sources has them") + "receivers:\n";
    for (int k = 0; k < std::min(kListed, report.receivers_size()); ++k) {
        text += "  " + padded(report.receivers(k).id(), 16) + " " + xyz_text(report.receivers(k)) +
                "\n";
    }
    text += more(report.receivers_size());
    for (const std::string& warning : report.warnings()) {
        text += "warning: " + warning + "\n";
    }
    return text;
}

template <class Place>
void set_xyz(const std::array<double, 3>& xyz_m, Place& at) {
    at.set_x_m(xyz_m[0]);
    at.set_y_m(xyz_m[1]);
    at.set_z_m(xyz_m[2]);
}

void set_motion(const io::SeismogramDataset::Source& from, v1::WavesReport::Source& source) {
    source.set_id(from.id);
    source.set_highest_hz(from.highest_hz);
    set_xyz(from.xyz_m, source);
    if (const double moment_nm = slip_model::scalar_moment(from.moment_nm); moment_nm > 0.0) {
        source.set_moment_n_m(moment_nm);
        source.set_moment_magnitude(slip_model::moment_magnitude(moment_nm));
    }
}

}  // namespace

v1::WavesReport report_of(const io::SeismogramDataset& dataset, const std::string& file) {
    v1::WavesReport report;
    report.set_file(file);
    report.set_name(dataset.name);
    report.set_title(dataset.title);
    for (const io::SeismogramDataset::Source& from : dataset.sources) {
        v1::WavesReport::Source& source = *report.add_sources();
        set_motion(from, source);
        source.set_status(kStatus[std::clamp<int>(from.status, 0, 2)]);
        source.set_failure(from.failure);
    }
    for (const io::SeismogramDataset::Point& from : dataset.receivers) {
        v1::WavesReport::Receiver& receiver = *report.add_receivers();
        receiver.set_id(from.id);
        set_xyz(from.xyz_m, receiver);
    }
    report.set_samples(report::count(dataset.n_samples));
    report.set_interval_s(dataset.interval_s);
    report.set_step_s(dataset.step_s);
    report.set_voxel_size_m(dataset.spacing_m);
    report.set_quantity(dataset.quantity);
    report.set_unit(dataset.unit);
    if (dataset.elements) {
        report.set_elements(report::count(dataset.elements->count));
        report.set_order(report::count(dataset.elements->order));
    }
    report.set_points_per_wavelength(dataset.points_per_wavelength);
    const std::vector<double>& snapshots_s =
        dataset.elements ? dataset.ground.snapshots_s : dataset.snapshots_s;
    report.mutable_snapshots_s()->Assign(snapshots_s.begin(), snapshots_s.end());
    report.mutable_warnings()->Assign(dataset.warnings.begin(), dataset.warnings.end());
    report.set_specification(dataset.specification_json);
    report.set_kaname_version(dataset.kaname_version);
    std::vector<v1::WavesReport::Source> given;
    for (const io::SeismogramDataset::Source& from : dataset.given_sources) {
        set_motion(from, given.emplace_back());
    }
    report.set_text(waves_text(report, given));
    for (v1::WavesReport::Source& source : given) {
        source.set_status("given");
        *report.add_sources() = std::move(source);
    }
    return report;
}

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
    input.kaname_version = KANAME_VERSION;
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

namespace {

namespace fs = std::filesystem;

bool is_sha256(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

void locate_stored_files(google::protobuf::Message& specification, const std::string& request_path,
                         const std::string& files) {
    const fs::path beside = fs::absolute(request_path).parent_path();
    Inputs listed;
    if (fs::is_regular_file(files)) {
        add_input_list(files, listed);
    }
    std::vector<Violation> broken;
    request::for_each_file(specification, [&](v1::File& file, const std::string& field) {
        if (files.empty() || file.sha256().empty()) {
            if (!file.path().empty()) {
                file.set_path((beside / file.path()).lexically_normal().string());
            }
        } else if (const auto known = listed.find(file.sha256()); known != listed.end()) {
            file.set_path(known->second);
        } else if (is_sha256(file.sha256())) {
            file.set_path((fs::absolute(files) / file.sha256()).lexically_normal().string());
        } else {
            broken.push_back(
                {field + ".sha256",
                 "must be 64 hexadecimal digits in lower case, got '" + file.sha256() + "'"});
        }
    });
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

}  // namespace kaname::compute
