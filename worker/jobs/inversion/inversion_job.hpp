// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace kaname::jobs {

/// One number that was observed: the motion of a station along a direction, at an epoch.
struct Datum {
    static constexpr double kBeforeAll = -std::numeric_limits<double>::infinity();

    std::string station;  ///< id; of no station of the dataset: the nearest is taken
    double lon_deg = 0.0, lat_deg = 0.0;       ///< NaN where the file has no places
    double east = 0.0, north = 0.0, up = 0.0;  ///< the direction, a unit vector
    std::string component;                     ///< "east", "north", "up" or "los"
    double epoch_s = 0.0;                      ///< since the slip's time 0
    double since_s = kBeforeAll;               ///< the motion between since and epoch
    double value = 0.0, sigma = 0.0;           ///< m; of velocities m/year
    std::string field;                         ///< where it stands: "offsets.csv:17"
};

enum class ObservationKind { Gnss, GnssAcoustic, OceanBottomPressure, Insar };

/// Observations of one kind with what their errors have in common.
struct ObservationSet {
    std::string name;
    ObservationKind kind = ObservationKind::Gnss;
    bool velocity = false;
    std::vector<Datum> data;
    double correlation_length_m = 0.0;  ///< exp(-distance / length) within a component; 0: none
    std::vector<double> covariance;     ///< [data][data] m^2 in place of sigmas; empty: none
    bool offset = false, ramp = false, rotation = false;  ///< unknowns of the measuring
    double match_distance_m = 200.0;
    /// How series of each station are modelled beside slip whose rate varies; an offset always.
    struct Series {
        bool rate = false, annual = false, semiannual = false;
        std::vector<double> steps_s;  ///< when all stations may have jumped
        double random_walk_m = 0.0;   ///< m / sqrt(year)
    };
    Series series;
};

/// When slip happens. Amounts are metres; of rates (steady slip, and coupling: slip that is
/// lacking) metres per year. Of a history amounts are rates in each of its steps, in metres per
/// year, and it has an inversion to itself (slip_in_time.hpp).
struct SlipWindow {
    enum class Kind { Step, Ramp, Steady, Coupling, History };
    std::string name = "coseismic";
    Kind kind = Kind::Step;
    double begin_s = 0.0, end_s = 0.0;  ///< a step has begin alone
    double step_s = 0.0;                ///< of a history
    bool from_rest = true;              ///< a history begins without slip
    bool elastic = false;               ///< a history moves the elastic body alone

    [[nodiscard]] bool is_rate() const { return kind == Kind::Steady || kind == Kind::Coupling; }
};

struct MomentRule {
    enum class Relation { Equal, AtMost, AtLeast };
    Relation relation = Relation::Equal;
    double moment_n_m = 0.0;
};

struct SlipUnknowns {
    std::vector<std::string> components;  ///< slip components of the dataset; empty: all
    double min_m = 0.0, max_m = std::numeric_limits<double>::infinity();
    std::optional<double> rake_from_deg, rake_to_deg;  ///< amounts are those along these two
    std::optional<double> azimuth_deg;                 ///< of the hanging wall's horizontal motion
    std::optional<MomentRule> moment;
    std::vector<SlipWindow> windows = {SlipWindow{}};
};

struct Regularisation {
    enum class Choice { CrossValidation, Abic, AbicFree, LCurve, Fixed };
    enum class Rule { Minimum, OneStandardError };
    enum class Weight { None, Moment };
    enum class Edges { Zero, Free };
    enum class Norm { LeastSquares, Huber };
    Choice choice = Choice::CrossValidation;
    std::vector<double> smoothness, sparsity;  ///< as in inversion.proto; at least one each
    int folds = 5;
    std::uint64_t seed = 1;
    Rule rule = Rule::Minimum;
    Weight weight = Weight::None;
    Edges edges = Edges::Zero;
    Norm norm = Norm::LeastSquares;
    bool variance_components = false;  ///< estimates a factor on the sigmas of each set
};

/// Slip that is known, for tests of what can be resolved.
struct SyntheticSlip {
    struct Checkerboard {
        int rows = 2, columns = 2;
        double slip_m = 1.0;
    };
    struct Rupture {
        double lon_deg = 0.0, lat_deg = 0.0, length_m = 0.0, width_m = 0.0, strike_deg = 0.0;
        double slip_m = 0.0;
        std::optional<double> rake_deg, slip_azimuth_deg;  ///< exactly one
    };
    struct Amount {
        std::string source;
        double slip_m = 0.0;
    };
    std::optional<Checkerboard> checkerboard;
    std::optional<Rupture> rupture;
    std::vector<Amount> amounts;
    bool noise = false;
};

/// PosteriorSampling holds what is sampled beside the estimate, as in inversion.proto.
struct PosteriorSampling {
    int iterations = 10000, draws = 500;  ///< of each chain; iterations at most
    std::uint64_t seed = 1;
    int effective_samples = 0;  ///< of each number at which chains end early; 0: they do not
    /// Largest credible slip, and slip whose probability is given [m]; of rates [m/year] smaller.
    std::optional<double> largest_slip_m, level_m;
    std::vector<double> lengths_m;   ///< of the correlation; empty: chosen by the fault
    std::vector<std::string> theta;  ///< viscosities of the dataset that are sampled with slip
    int nodes = 0;                   ///< of each viscosity's grid; 0: by their number
};

/// ModelErrors names datasets of other structures, whose motion by one slip differs by as much as
/// the structure is unknown.
struct ModelErrors {
    std::vector<std::string> datasets;  ///< paths; two or more
    int rounds = 3;                     ///< times that their covariance is taken, at the slip found
};

/// A slip inversion in plain numbers: proto/kaname/v1/inversion.proto with its defaults filled in
/// and its tables read.
struct InversionJob {
    std::string name, title;
    std::string specification_json, version;  ///< version: of the program
    std::vector<ObservationSet> sets;
    SlipUnknowns slip;
    Regularisation regularisation;
    bool resolution = false, covariance = false;  ///< whole matrices in the result
    int bootstrap = 0;
    std::optional<SyntheticSlip> synthetic;
    std::optional<PosteriorSampling> posterior;
    std::optional<ModelErrors> model_errors;
};

}  // namespace kaname::jobs
