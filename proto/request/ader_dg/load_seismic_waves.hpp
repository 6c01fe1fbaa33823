// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "proto/kaname/v1/seismic_waves.pb.h"
#include "proto/request/form/request.hpp"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/yaml_reader.hpp"

namespace kaname::request {

/// Reads a file as users write it. Throws ValidationError with everything that is wrong with it;
/// Error when it is not YAML.
[[nodiscard]] v1::SeismicWaves load_seismic_waves(const std::string& path);
/// Checks a message whose files have absolute paths, and fills in defaults except those that depend
/// on the solver (mesh.elements_per_wavelength, solver.cfl) and on speeds (rupture.spacing_m).
/// `reading` is of the YAML that the message came from. Throws ValidationError as
/// load_seismic_waves.
[[nodiscard]] v1::SeismicWaves check_seismic_waves(v1::SeismicWaves waves,
                                                   YamlReading reading = {});

/// Canonical texts of all that a mesh depends on; of all that a source's waves depend on but the
/// source itself; and of the whole.
[[nodiscard]] std::string mesh_text(const v1::SeismicWaves& waves);
[[nodiscard]] std::string shared_text(const v1::SeismicWaves& waves);
[[nodiscard]] std::string whole_text(const v1::SeismicWaves& waves);

/// Waves on tetrahedra: a mesh, a task for each source, four of them at a time, and one for their
/// seismograms. Schema kaname.v1.SeismicWaves.
[[nodiscard]] const Kind& seismic_waves_kind();

/// Returns the tasks of a checked request (load_seismic_waves.hpp): sources first, then the
/// mesh.
[[nodiscard]] TaskGraph seismic_waves_graph(const v1::SeismicWaves& waves);

/// Fills in what depends on other fields and is left out of model, sides, time and output;
/// constants are filled in already.
void fill_setting(v1::SeismicWaves& waves);
/// Puts what sources say by reference points, magnitudes and double couples into the fields that
/// are solved by.
void settle_sources(google::protobuf::RepeatedPtrField<v1::SeismicSource>& sources,
                    const v1::Structure& structure);
/// Fills in everything that is left out.
void fill_defaults(v1::SeismicWaves& waves);

inline constexpr const char* kFree = "free";
inline constexpr const char* kAbsorbing = "absorbing";
inline constexpr const char* kGravity = "gravity";

/// Every rule that needs no mesh, of a request whose defaults are filled.
[[nodiscard]] std::vector<Violation> validate(const v1::SeismicWaves& waves,
                                              const UnitFactor& unit_factor = {});

/// The parts of it: all but schema, name, sources and receivers; of these, where the model is and
/// what it is made of; sources and receivers; of these, each listed source, and receivers.
void check_seismic_setting(const v1::SeismicWaves& waves, Rules& rules);
void check_seismic_model(const v1::SeismicWaves& waves, Rules& rules);
void check_seismic_points(const v1::SeismicWaves& waves, Rules& rules);
void check_seismic_sources(const v1::SeismicWaves& waves, Rules& rules);
void check_seismic_receivers(const v1::SeismicWaves& waves, Rules& rules);

}  // namespace kaname::request
