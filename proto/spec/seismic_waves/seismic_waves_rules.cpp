// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/seismic_waves/seismic_waves_rules.hpp"

#include "proto/spec/form/text.hpp"
#include "proto/spec/waves/point_rules.hpp"
#include "proto/spec/waves/wave_requests.hpp"

namespace kaname::spec {
namespace {

constexpr unsigned kLeastOrder = 2, kMostOrder = 7, kMostMechanisms = 8;
constexpr double kMostSamples = 1e7;
const std::vector<std::string> kKindsOfSide = {kFree, kAbsorbing};
const std::vector<std::string> kKindsOfTop = {kFree, kAbsorbing, kGravity};

void check_attenuation(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::Attenuation& band = waves.attenuation();
    if (!waves.has_attenuation()) {
        return;
    }
    rules.positive("attenuation.from_hz", band.from_hz());
    if (band.to_hz() <= band.from_hz()) {
        rules.fail("attenuation.to_hz",
                   "must be > " + rules.beside("attenuation.to_hz", "from_hz", band.from_hz()) +
                       ", got " + rules.in_unit_of("attenuation.to_hz", band.to_hz()));
    }
    if (band.mechanisms() < 1 || band.mechanisms() > kMostMechanisms) {
        rules.fail("attenuation.mechanisms",
                   "must be in 1..8, got " + std::to_string(band.mechanisms()));
    }
    rules.positive("attenuation.reference_hz", band.reference_hz());
}

void check_mesh(const v1::SeismicMesh& mesh, Rules& rules) {
    rules.positive("mesh.max_frequency_hz", mesh.max_frequency_hz());
    rules.not_negative("mesh.elements_per_wavelength", mesh.elements_per_wavelength());
    if (mesh.has_file()) {
        if (mesh.file().path().empty()) {
            rules.fail("mesh.file", "must name a file");
        }
        rules.one_of("mesh.length_unit", mesh.length_unit(), {"m", "km"});
        for (const auto& [field, given] :
             {std::pair{"mesh.growth", mesh.growth() != 0.0},
              std::pair{"mesh.max_elements", mesh.max_elements() > 0}}) {
            if (given) {
                rules.fail(field, "must be left out beside mesh.file");
            }
        }
        return;
    }
    rules.in_range("mesh.growth", mesh.growth(), 0.05, 1.0);
    for (const auto& [field, given] :
         {std::pair{"mesh.top", !mesh.top().empty()},
          std::pair{"mesh.length_unit", !mesh.length_unit().empty()}}) {
        if (given) {
            rules.fail(field, "must be left out without mesh.file");
        }
    }
}

void check_boundaries(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::SeismicBoundaries& sides = waves.boundaries();
    const std::pair<const char*, const std::string*> kinds[] = {
        {"x_min", &sides.x_min()}, {"x_max", &sides.x_max()},   {"y_min", &sides.y_min()},
        {"y_max", &sides.y_max()}, {"bottom", &sides.bottom()}, {"top", &sides.top()}};
    for (const auto& [name, kind] : kinds) {
        const std::string field = std::string("boundaries.") + name;
        if (!waves.mesh().has_file()) {
            const bool top = kind == &sides.top();
            rules.one_of(field, *kind, top ? kKindsOfTop : kKindsOfSide);
        } else if (!kind->empty()) {
            rules.fail(field,
                       "must be left out beside mesh.file: boundaries.surfaces names its "
                       "surfaces");
        }
    }
    for (int k = 0; k < sides.surfaces_size(); ++k) {
        const std::string path = element("boundaries.surfaces", k);
        rules.given(path + ".name", !sides.surfaces(k).name().empty());
        rules.one_of(path + ".kind", sides.surfaces(k).kind(), kKindsOfTop);
        for (int earlier = 0; earlier < k; ++earlier) {
            if (sides.surfaces(earlier).name() == sides.surfaces(k).name()) {
                rules.fail(path + ".name",
                           "must be named once, got " + quote(sides.surfaces(k).name()) + " again");
            }
        }
    }
    if (!waves.mesh().has_file() && sides.surfaces_size() > 0) {
        rules.fail("boundaries.surfaces", "must be left out without mesh.file");
    }
}

void check_time(const v1::SeismicTime& time, Rules& rules) {
    rules.positive("time.end_s", time.end_s());
    // 0 is what a default without a frequency comes to, which is complained of itself.
    rules.not_negative("time.interval_s", time.interval_s());
    if (time.interval_s() > time.end_s() && time.end_s() > 0.0) {
        rules.fail("time.interval_s",
                   "must be at most " + rules.beside("time.interval_s", "end_s", time.end_s()) +
                       ", got " + rules.in_unit_of("time.interval_s", time.interval_s()));
    }
    if (time.interval_s() > 0.0 && time.end_s() / time.interval_s() > kMostSamples) {
        rules.fail("time.interval_s", "must leave at most " + show(kMostSamples) +
                                          " samples, got " +
                                          show(time.end_s() / time.interval_s()));
    }
}

/// The largest solver.cfl that is stable, which is what it is where nothing is said
/// (aderdg::default_cfl).
double stable_cfl(unsigned order) {
    return order <= 5 ? 0.5 : order == 6 ? 0.45 : 0.4;
}

void check_scheme(const v1::SeismicScheme& solver, Rules& rules) {
    if (solver.order() < kLeastOrder || solver.order() > kMostOrder) {
        rules.fail("solver.order", "must be in 2..7, got " + std::to_string(solver.order()));
    }
    rules.one_of("solver.precision", solver.precision(), {"single", "double"});
    rules.not_negative("solver.cfl", solver.cfl());
    if (const double stable = stable_cfl(solver.order()); solver.cfl() > stable) {
        rules.fail("solver.cfl", "must be at most " + show(stable) + " at order " +
                                     std::to_string(solver.order()) +
                                     ": steps above that are not stable, got " +
                                     show(solver.cfl()));
    }
}

void check_output(const v1::SeismicWaves& waves, Rules& rules) {
    const v1::SeismicOutput& output = waves.output();
    rules.one_of("output.quantity", output.quantity(), {"velocity", "displacement"});
    rules.one_of("output.checkpoint", output.checkpoint(), {"auto", "none"});
    if (output.has_checkpoint_interval_s()) {
        rules.not_negative("output.checkpoint_interval_s", output.checkpoint_interval_s());
    }
    if (output.volume() && output.snapshots_s().empty()) {
        rules.fail("output.volume", "must be false without output.snapshots_s, got true");
    }
    check_snapshots(output.snapshots_s(), "output.snapshots_s", waves.time().end_s(), rules);
}

}  // namespace

void check_seismic_setting(const v1::SeismicWaves& waves, Rules& rules) {
    check_seismic_model(waves, rules);
    check_attenuation(waves, rules);
    check_mesh(waves.mesh(), rules);
    check_boundaries(waves, rules);
    check_time(waves.time(), rules);
    check_scheme(waves.solver(), rules);
    check_output(waves, rules);
}

std::vector<Violation> validate(const v1::SeismicWaves& waves, const UnitFactor& unit_factor) {
    Rules rules(unit_factor);
    check_head(waves.schema(), v1::SeismicWaves::descriptor()->full_name(), waves.name(), rules);
    check_seismic_setting(waves, rules);
    check_seismic_points(waves, rules);
    every_number_finite(waves, "", rules);
    return rules.take();
}

}  // namespace kaname::spec
