// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/inversion.pb.h"
#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/campaign/campaign_file.hpp"
#include "proto/request/form/json.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "proto/request/greens/defaults.hpp"
#include "proto/request/greens/validate.hpp"
#include "proto/request/inversion/inversion_rules.hpp"
#include "proto/request/kinds.hpp"
#include "proto/request/rupture/load_rupture.hpp"
#include "proto/request/voxel_fem/load_voxel_waves.hpp"
#include "tests/fuzz/target_groups.hpp"

namespace kaname::fuzz {
namespace {

/// As people write it: read, filled in and judged, without the files that it names.
void specification(std::string_view bytes) {
    v1::GreensBatch batch;
    (void)request::scan_yaml(bytes, "input", batch);
    request::fill_defaults(batch);
    (void)request::validate(batch);
}

void inversion(std::string_view bytes) {
    v1::Inversion inversion;
    (void)request::scan_yaml(bytes, "input", inversion);
    request::fill_set_defaults(inversion);
    request::InversionFacts facts;
    (void)request::fill_defaults(inversion, facts);
    (void)request::validate(inversion, facts);
}

template <class Message, class Check>
void checked(std::string_view bytes, const Check& check) {
    Message message;
    request::YamlReading reading = request::scan_yaml(bytes, "input", message);
    (void)check(std::move(message), std::move(reading));
}
void voxel_waves(std::string_view bytes) {
    checked<v1::VoxelWaves>(bytes, request::check_voxel_waves);
}
void seismic_waves(std::string_view bytes) {
    checked<v1::SeismicWaves>(bytes, request::check_seismic_waves);
}
void rupture(std::string_view bytes) {
    checked<v1::Rupture>(bytes, request::check_rupture);
}

/// The file of a campaign: what varies, before members are made.
void campaign(std::string_view bytes) {
    static const std::string base = as_file("schema: kaname.v1.GreensBatch\n", "small.yaml");
    (void)request::read_campaign(as_file(bytes, "campaign.yaml"));
}

/// As programs send it.
void json(std::string_view bytes) {
    v1::GreensBatch batch;
    request::from_json(std::string(bytes), "input", batch);
    (void)request::validate(batch);
}

/// A job of any kind as a server takes it: judged, with all that it asks before it is queued.
void job(std::string_view bytes) {
    const request::Kinds& kinds = request::built_in_kinds();
    const auto message = kinds.parse(std::string(bytes), "input");
    const request::Kind& kind = kinds.of(*message);
    const std::unique_ptr<request::Request> request = kind.check(*message);
    (void)kind.content_hash(request->message());
    (void)request->chosen();
    (void)request->describe();
    (void)request->graph();
    (void)request->estimate_key();
}

const std::vector<const char*> kYamlWords = {"{",   "}",  "[",     "]",   ": ",    "- ",
                                             "&a ", "*a", "<<",    "|",   "\n  ",  "#",
                                             "'",   "\"", "!!str", "_km", "_years"};
const std::vector<const char*> kJsonWords = {"{", "}",    "[",    "]",  ":",
                                             ",", "null", "true", "\"", "\\u0000"};

}  // namespace

std::vector<Target> specification_targets() {
    return {
        {"specification",
         specification,
         {"docs/examples/plane/plane.yaml", "docs/examples/nankai/nankai.yaml",
          "docs/examples/tohoku/tohoku.yaml", "docs/examples/mesh/two_faults.yaml",
          "docs/examples/rheology/rheology.yaml", "docs/examples/hellenic/hellenic.yaml"},
         kYamlWords},
        {"voxel_waves",
         voxel_waves,
         {"docs/examples/voxel_layers/voxel_layers.yaml", "docs/examples/rebar/rebar.yaml"},
         kYamlWords},
        {"seismic_waves",
         seismic_waves,
         {"docs/examples/loh1/loh1.yaml", "docs/examples/green_points/green_points.yaml"},
         kYamlWords},
        {"rupture",
         rupture,
         {"docs/examples/tpv5/tpv5.yaml", "docs/examples/tpv5/tpv101.yaml",
          "docs/examples/tpv5/tpv13.yaml"},
         kYamlWords},
        {"inversion",
         inversion,
         {"docs/examples/nankai-inversion/rupture.yaml",
          "docs/examples/nankai-inversion/checkerboard.yaml", "docs/examples/nankai/deficit.yaml"},
         kYamlWords},
        {"campaign", campaign, {"docs/examples/nankai_campaign/campaign.yaml"}, kYamlWords},
        {"json", json, {}, kJsonWords},
        {"job", job, {"tests/fuzz/seeds/json.plane.txt"}, kJsonWords},
    };
}

}  // namespace kaname::fuzz
