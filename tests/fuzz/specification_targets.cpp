// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "proto/kaname/v1/greens.pb.h"
#include "proto/kaname/v1/inversion.pb.h"
#include "proto/spec/campaign/campaign_file.hpp"
#include "proto/spec/form/json.hpp"
#include "proto/spec/form/yaml_reader.hpp"
#include "proto/spec/greens/defaults.hpp"
#include "proto/spec/greens/validate.hpp"
#include "proto/spec/inversion/inversion_rules.hpp"
#include "proto/spec/kinds.hpp"
#include "proto/spec/rupture/load_rupture.hpp"
#include "proto/spec/seismic_waves/load_seismic_waves.hpp"
#include "proto/spec/voxel_waves/load_voxel_waves.hpp"
#include "tests/fuzz/target_groups.hpp"

namespace kaname::fuzz {
namespace {

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

template <class Message, class Check>
void checked(std::string_view bytes, const Check& check) {
    Message message;
    spec::YamlReading reading = spec::scan_yaml(bytes, "input", message);
    (void)check(std::move(message), std::move(reading));
}
void voxel_waves(std::string_view bytes) {
    checked<v1::VoxelWaves>(bytes, spec::check_voxel_waves);
}
void seismic_waves(std::string_view bytes) {
    checked<v1::SeismicWaves>(bytes, spec::check_seismic_waves);
}
void rupture(std::string_view bytes) {
    checked<v1::Rupture>(bytes, spec::check_rupture);
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

/// A job of any kind as a server takes it: judged, with all that it asks before it is queued.
void job(std::string_view bytes) {
    const spec::Kinds& kinds = spec::built_in_kinds();
    const auto message = kinds.parse(std::string(bytes), "input");
    const spec::Kind& kind = kinds.of(*message);
    const std::unique_ptr<spec::Request> request = kind.check(*message);
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
