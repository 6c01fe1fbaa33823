// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <string>
#include <vector>

#include "solvers/base/predicted_error.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/fault_model.hpp"
#include "worker/jobs/geometry/sources/source_set.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// Predicts how far a job's motion is off, before it is solved: the one prediction of `validate`,
/// `estimate`, `run` and the dataset. It combines the elements at the slip, those about a station
/// and in layers, the box, and slip that dips gently (ErrorParts).
class PredictedErrors {
public:
    struct Place {
        std::string name;     ///< "station 'S1'", or the surface where the job has no stations
        Vec3 at;              ///< in the model frame
        double away_m = 0.0;  ///< from the edges of the slip, at depth too
        /// Parts of the largest motion right after the slip at the distance of the place: near a
        /// node of the motion a station is off by as much as its neighbours.
        ErrorParts at_once;
        /// Parts of the largest change since there, until the last epoch; 0 where nothing relaxes.
        ErrorParts since;
        BoxCase box;  ///< as at the last epoch; station_m on the map
    };

    /// `elements`: [stations], empty where they are not known before the mesh. Borrows nothing.
    PredictedErrors(const GreensJob& job, const Domain& domain, const SourceSet& slip,
                    std::span<const StationElements> elements);

    /// Empty where the places of slip are known with the mesh alone.
    [[nodiscard]] const std::vector<Place>& places() const { return places_; }
    /// "predicted error: 1.1 % of the largest motion right after the slip as far away as station
    /// 'S1' (...); ...", of the stations worst off; empty where only the mesh knows its elements or
    /// the slip.
    [[nodiscard]] std::string text() const;
    /// Names the station whose motion the box changes by more than 2 %, and a box that would do;
    /// the gentlest dip where it leaves more than 2 % of the change since, and what makes it less.
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    void find_places(const GreensJob& job, const Domain& domain, const std::vector<Vec3>& slips);
    void add_elements(const Domain& domain, const SourceSet& slip,
                      std::span<const StationElements> elements);
    void add_dip(const Domain& domain, const SourceSet& slip);
    [[nodiscard]] std::string box_warning() const;
    [[nodiscard]] std::string dip_warning() const;

    double size_at_fault_m_, growth_, end_s_;
    double maxwell_times_ = 0.0;
    double gentlest_deg_ = 90.0;
    bool elements_known_ = false, stations_ = false;
    std::vector<Place> places_;
};

/// Predicted error of the ground's change since slip that dips by `dip_deg` in rock that relaxes, a
/// part of the change: 3.2 % (10 / dip)^1.2 growth / 0.3. The change itself is small there, 2 to
/// 6 % of the motion right after the slip for dips of 5 and 10. A fit to uniform half-spaces half a
/// Maxwell time to twenty after the slip (docs/user/accuracy.md), where it is within a factor of
/// 1.7 of what was found.
[[nodiscard]] double gentle_slip_error(double dip_deg, double growth);

}  // namespace kaname::jobs
