// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include <unistd.h>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/inversion.pb.h"
#include "proto/kaname/v1/jobs_service.pb.h"
#include "proto/report/report.hpp"
#include "proto/spec/campaign/campaign_file.hpp"
#include "proto/spec/form/json.hpp"
#include "proto/spec/form/yaml_reader.hpp"
#include "proto/spec/greens/defaults.hpp"
#include "proto/spec/greens/stations.hpp"
#include "proto/spec/greens/validate.hpp"
#include "proto/spec/inversion/inversion_rules.hpp"
#include "proto/spec/inversion/observations.hpp"
#include "server/gateway/messages.hpp"
#include "server/http/ranges.hpp"
#include "server/service/filter.hpp"
#include "server/service/paging.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/files.hpp"
#include "solvers/earth/gridded_surface.hpp"
#include "solvers/fault/slip_model/read_slip_model.hpp"
#include "solvers/mesh/gmsh/gmsh_mesh.hpp"
#include "tests/fuzz/target.hpp"
#include "worker/run/events.hpp"

namespace kaname::fuzz {
namespace {

/// Readers that take a path get one, in a folder of this process.
std::string as_file(std::string_view bytes, const char* name) {
    static const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / name;
    write_file(path, std::string(bytes));
    return path;
}

/// As people write it: read, filled in and judged, without the files that it names.
void specification(std::string_view bytes) {
    v1::GreensBatch batch;
    (void)spec::scan_yaml(bytes, "input", batch);
    spec::fill_defaults(batch);
    (void)spec::validate(batch);
}

void inversion(std::string_view bytes) {
    v1::Inversion inversion;
    (void)spec::scan_yaml(bytes, "input", inversion);
    spec::fill_set_defaults(inversion);
    spec::InversionFacts facts;
    (void)spec::fill_defaults(inversion, facts);
    (void)spec::validate(inversion, facts);
}

/// The file of a campaign: what varies, before members are made.
void campaign(std::string_view bytes) {
    static const std::string base = as_file("schema: kaname.v1.GreensBatch\n", "small.yaml");
    (void)spec::read_campaign(as_file(bytes, "campaign.yaml"));
}

/// As programs send it.
void json(std::string_view bytes) {
    v1::GreensBatch batch;
    spec::from_json(std::string(bytes), "input", batch);
    (void)spec::validate(batch);
}

/// As it comes over HTTP, also with a message within a message that names its type.
void request(std::string_view bytes) {
    for (const auto* type :
         {v1::ReadSliceRequest::descriptor(), v1::CreateJobRequest::descriptor()}) {
        try {
            (void)gateway::parse(*type, std::string(bytes), "body");
        } catch (const ValidationError& error) {
            if (error.violations().front().message.size() > 1000) {
                std::abort();
            }
        }
    }
}

void report(std::string_view bytes) {
    try {
        (void)report::to_json(report::parse<v1::DatasetReport>(std::string(bytes), "input"),
                              report::Layout::Line);
    } catch (const report::BrokenReport& error) {
        throw Error(ErrorCode::InvalidArgument, error.what());
    }
}

void filter(std::string_view bytes) {
    (void)store::listing_name(service::parse_filter(std::string(bytes)));
}

/// What a header asks of a file stays within it.
void byte_range(std::string_view bytes) {
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1000}}) {
        const http::Selection part = http::select_range(bytes, size);
        if (part.offset > size || part.bytes > size - part.offset ||
            (part.kind == http::Selection::Kind::Part && part.bytes == 0)) {
            std::abort();
        }
    }
    (void)http::has_tag(bytes, "abc", true);
    const std::string name = http::attachment(std::string(bytes));
    if (name.find_first_of("\r\n\\/") != std::string::npos) {
        std::abort();
    }
}

void page_token(std::string_view bytes) {
    (void)store::parse_token("jobs", std::string(bytes), 0);
}

void resume_token(std::string_view bytes) {
    (void)service::parse_resume_token("7d1f2c55-6a9e-4f0c-9d1b-0c6f1f1f7a11", std::string(bytes));
}

void channel_line(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
        (void)run::parse_line(bytes.substr(at, end - at));
        at = end + 1;
    }
}

void msh(std::string_view bytes) {
    (void)mesh::parse_gmsh(bytes, "input");
}

void observations(std::string_view bytes, const char* kind) {
    v1::Observations set;
    set.set_kind(kind);
    set.set_sigma_east_m(0.01);
    set.mutable_file()->set_path(as_file(bytes, "observations.csv"));
    (void)spec::read_observations(set, "data[0]", false);
    (void)spec::read_observations(set, "data[0]", true);
}
void gnss(std::string_view bytes) {
    observations(bytes, "gnss");
}
void insar(std::string_view bytes) {
    observations(bytes, "insar");
}

void stations(std::string_view bytes) {
    (void)spec::read_station_csv(as_file(bytes, "stations.csv"));
}

void grid(std::string_view bytes) {
    (void)earth::read_surface_file(as_file(bytes, "grid.csv"), {});
}

void slip_patches(std::string_view bytes) {
    (void)slip_model::read_slip_model(as_file(bytes, "slip.csv"));
}
void slip_srcmod(std::string_view bytes) {
    (void)slip_model::read_slip_model(as_file(bytes, "slip.fsp"));
}
void slip_usgs(std::string_view bytes) {
    (void)slip_model::read_slip_model(as_file(bytes, "slip.param"));
}

const std::vector<const char*> kYamlWords = {"{",   "}",  "[",     "]",   ": ",    "- ",
                                             "&a ", "*a", "<<",    "|",   "\n  ",  "#",
                                             "'",   "\"", "!!str", "_km", "_years"};
const std::vector<const char*> kCsvWords = {",", "\"", "\n", "#", ";", "nan", "\t", "-", "\r\n"};

}  // namespace

std::span<const Target> targets() {
    static const std::vector<Target> all = {
        {"specification",
         specification,
         {"docs/examples/plane/plane.yaml", "docs/examples/nankai/nankai.yaml",
          "docs/examples/tohoku/tohoku.yaml", "docs/examples/mesh/two_faults.yaml"},
         kYamlWords},
        {"campaign", campaign, {"docs/examples/nankai_campaign/campaign.yaml"}, kYamlWords},
        {"inversion",
         inversion,
         {"docs/examples/nankai-inversion/rupture.yaml",
          "docs/examples/nankai-inversion/checkerboard.yaml", "docs/examples/nankai/deficit.yaml"},
         kYamlWords},
        {"json", json, {}, {"{", "}", "[", "]", ":", ",", "null", "true", "\"", "\\u0000"}},
        {"request",
         request,
         {},
         {"{", "}", "[", "]", ":", ",", "null", "1e999", "\"@type\"", "\"", "\\u0000", "NaN"}},
        {"report", report, {}, {"{", "}", "[", "]", ":", ",", "null", "true", "\"", "\\ud800"}},
        {"filter", filter, {}, {" AND ", "=", "\"", "\\", "state", "owner", "title"}},
        {"byte_range", byte_range, {}, {"bytes=", "-", ",", "18446744073709551616", "\"", "W/"}},
        {"page_token", page_token, {}, {".", "-", "="}},
        {"resume_token", resume_token, {}, {".", "-"}},
        {"channel_line", channel_line, {}, {"@kaname ", "{", "}", "\"type\"", "null", "[", "\""}},
        {"msh", msh, {}, {"$Nodes\n", "$EndNodes\n", "$Elements\n", "$Periodic\n", " ", "\n"}},
        {"gnss", gnss, {}, kCsvWords},
        {"insar", insar, {}, kCsvWords},
        {"stations", stations, {"docs/examples/nankai/stations.csv"}, kCsvWords},
        {"grid", grid, {}, kCsvWords},
        {"slip_patches", slip_patches, {}, kCsvWords},
        {"slip_srcmod",
         slip_srcmod,
         {"tests/data/slip_scenarios/samos2020_okuwaki.fsp"},
         {"%", ":", "="}},
        {"slip_usgs",
         slip_usgs,
         {"tests/data/slip_scenarios/antofagasta1995_usgs.param"},
         {"#", "="}},
    };
    return all;
}

}  // namespace kaname::fuzz
