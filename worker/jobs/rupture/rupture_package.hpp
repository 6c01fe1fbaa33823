// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "worker/jobs/ader_dg/seismic_package.hpp"
#include "worker/jobs/rupture/rupture_job.hpp"
#include "worker/jobs/rupture/rupture_records.hpp"

namespace kaname::jobs {

/// Checks a rupture and estimates its size, before anything is computed. Violations beside those of
/// preflight_seismic: numbers of friction, tables that do not cover their fault, fault receivers
/// off their fault, nucleation beside it, requests that a rupture cannot meet. Warnings: stress
/// above static strength outside of nucleation zones, a cohesive zone that elements do not resolve,
/// materials that yield already.
[[nodiscard]] SeismicPreflight preflight_rupture(const RuptureJob& job);

/// Makes the mesh and writes it; throws ValidationError where a fault has no faces.
MeshSummary mesh_rupture(const RuptureJob& job, const std::string& mesh_path,
                         const MeshProgress& progress);

/// Opens a session that solves the one event. Collective; the job lives as long as the session.
[[nodiscard]] std::unique_ptr<SeismicSession> open_rupture(const RuptureJob& job,
                                                           const std::string& mesh_path,
                                                           const std::string& work_dir,
                                                           comm::Comm& comm);

/// Writes rupture.h5, docs/user/rupture_dataset.md, from the event's file.
PackageSummary package_rupture(const RuptureJob& job, const std::string& mesh_path,
                               const SourceFiles& files, const std::string& dataset_path);

/// RuptureFields holds the results of a rupture on the faces of its faults. They are means over a
/// face's points unless a member is described otherwise.
struct RuptureFields {
    struct Face {
        double rupture_s =
            0.0;  ///< of the points that ruptured; NaN where less than half of it did
        std::array<double, 2> slip_m{};      ///< along strike, down dip
        double path_m = 0.0;                 ///< length of the way of the slip
        double peak_rate_m_per_s = 0.0;      ///< largest of all points
        std::array<double, 3> initial_pa{};  ///< normal, strike, dip
        std::array<double, 3> final_pa{};
        double drop_pa = 0.0;  ///< fall of the shear traction along the slip; 0 without slip
        /// 1/|gradient of rupture time| over the points of the face and of those beside it; NaN
        /// where less than three of them ruptured, or all at once.
        double speed_m_per_s = 0.0;
        double friction_j_m2 = 0.0, released_j_m2 = 0.0, nucleation_work_j_m2 = 0.0;
    };
    std::vector<Face> faces;
};

[[nodiscard]] RuptureFields rupture_fields(const RuptureModel& model, const RuptureResult& result);

/// RuptureSummary holds the figures of a whole rupture.
struct RuptureSummary {
    double moment_nm = 0.0;
    double magnitude = 0.0;  ///< Mw = 2/3 (log10 M0 - 9.1); NaN without slip
    double largest_slip_m = 0.0, mean_slip_m = 0.0;  ///< mean: over the area that ruptured
    double ruptured_m2 = 0.0;
    double duration_s = 0.0;  ///< in which the moment grows from 5 to 95 %
    /// int (tau0 - tau) . V dt dA - 1/2 int (tau0 - tau1) . D dA: released less what stays as
    /// static strain (Kostrov 1974); tau0 with what nucleation has added.
    double radiated_j = 0.0;
    /// (released - kinetic - elastic - plastic - outflow)/released at the end: what scheme, damping
    /// and weight of a risen surface have taken.
    double balance_residual = 0.0;
    std::array<double, 6> moment_tensor_nm{};  ///< xx, yy, zz, yz, xz, xy
    Vec3 hypocentre_m;                         ///< middle of the face that ruptured first
};
[[nodiscard]] RuptureSummary summary_of(const RuptureModel& model, const RuptureFields& fields,
                                        const RuptureResult& result);

}  // namespace kaname::jobs
