// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "solvers/jobs/rupture/rupture_job.hpp"
#include "solvers/jobs/seismic_waves/seismic_stages.hpp"

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

}  // namespace kaname::jobs
