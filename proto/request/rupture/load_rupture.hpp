// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "proto/kaname/v1/rupture.pb.h"
#include "proto/request/form/request.hpp"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/yaml_reader.hpp"

namespace kaname::request {

/// Reads a file as users write it. Throws ValidationError with everything that is wrong with it;
/// Error when it is not YAML.
[[nodiscard]] v1::Rupture load_rupture(const std::string& path);
/// Checks a message whose files have absolute paths, and fills in defaults except those that depend
/// on the solver and those of friction. `reading` is of the YAML that the message came from. Throws
/// ValidationError as load_rupture.
[[nodiscard]] v1::Rupture check_rupture(v1::Rupture rupture, YamlReading reading = {});

/// The model, the sources beside the faults, and all that is asked of waves, as SeismicWaves say
/// it.
[[nodiscard]] v1::SeismicWaves setting_of(const v1::Rupture& rupture);

/// Canonical texts of all that a mesh depends on, and of all that the result depends on but for
/// its name.
[[nodiscard]] std::string mesh_text(const v1::Rupture& rupture);
[[nodiscard]] std::string event_text(const v1::Rupture& rupture);

/// Name of the dataset in a folder of results, and of the one event in it.
inline constexpr const char* kRuptureFile = "rupture.h5";
inline constexpr const char* kRuptureEvent = "rupture";

/// A spontaneous rupture: a mesh, a task for the rupture, and one for its dataset. Schema
/// kaname.v1.Rupture.
[[nodiscard]] const Kind& rupture_kind();

/// Returns the tasks of a checked request (load_rupture.hpp): the rupture first, then the
/// mesh.
[[nodiscard]] TaskGraph rupture_graph(const v1::Rupture& rupture);

inline constexpr const char* kSlipWeakening = "linear_slip_weakening";
inline constexpr const char* kAgeing = "ageing";
inline constexpr const char* kSlipLaw = "slip";
inline constexpr const char* kFastWeakening = "fast_velocity_weakening";
inline constexpr const char* kRightLateral = "right_lateral";
inline constexpr const char* kEllipse = "ellipse";

/// A number of v1::Friction.
struct FrictionNumber {
    std::string_view field;              ///< with its unit, as the message has it
    bool needed = false;                 ///< has no default
    std::vector<std::string_view> laws;  ///< that read it
};
[[nodiscard]] const std::vector<FrictionNumber>& friction_numbers();
[[nodiscard]] const std::vector<std::string>& friction_laws();

/// By the name of a number of the message; `given` is false where it is absent.
struct GivenNumber {
    bool given = false;
    double value = 0.0;
};
[[nodiscard]] GivenNumber number_of(const google::protobuf::Message& message,
                                    std::string_view field);

/// Every rule that needs no mesh, of a request whose defaults are filled.
[[nodiscard]] std::vector<Violation> validate(const v1::Rupture& rupture,
                                              const UnitFactor& unit_factor = {});

/// The parts of it: where faults are and what they are under; what begins the rupture, and where
/// faults are recorded; sources whose motion is given.
void check_faults(const v1::Rupture& rupture, Rules& rules);
void check_fault_place(const v1::Rupture& rupture, int fault, Rules& rules);
void check_nucleation(const v1::Rupture& rupture, Rules& rules);
void check_given_sources(const v1::Rupture& rupture, Rules& rules);

/// Rows by depth: where there are several each has its depth, and depths never decrease.
template <class Rows>
void check_depths(const Rows& rows, const std::string& list, Rules& rules) {
    for (int k = 0; k < rows.size(); ++k) {
        const std::string field = element(list, k) + ".depth_m";
        if (rows.size() > 1 && rules.given(field, rows[k].has_depth_m()) && k > 0 &&
            rows[k].depth_m() < rows[k - 1].depth_m()) {
            rules.fail(field, "must be >= the depth before it, " +
                                  rules.in_unit_of(field, rows[k - 1].depth_m()) + ", got " +
                                  rules.in_unit_of(field, rows[k].depth_m()));
        }
    }
}

}  // namespace kaname::request
