// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/dataset/inversion_dataset.hpp"

#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "solvers/io/dataset/group_writer.hpp"

namespace kaname::io {
namespace {

using layout::column;
using Text = std::string;
using Row = InversionDataset::Row;
using Window = InversionDataset::Window;

void write_slip(GroupWriter& root, const InversionDataset& d) {
    const GroupWriter::Axes by_source = {"window", "source"}, by_patch = {"window", "patch"};
    const auto write = [&](const char* name, const GroupWriter::Axes& axes,
                           const std::vector<double>& values, const char* units,
                           const char* long_name) {
        if (!values.empty()) {
            root.variable<double>(name, axes, values, units, long_name);
        }
    };
    write("slip", by_source, d.slip, "m", "slip; m per year in windows of rates");
    write("slip_sigma", by_source, d.slip_sigma, "m",
          "standard deviation of slip by the errors of the data and the prior of its smoothness, "
          "without bounds and sparsity");
    write("resolution_diagonal", by_source, d.resolution_diagonal, "1",
          "diagonal of the resolution matrix");
    write("slip_low", by_source, d.slip_low, "m",
          "2.5 % of the bootstrap's replicates: how far the drawn data move slip with the weights "
          "held, without the bias of smoothing");
    write("slip_high", by_source, d.slip_high, "m",
          "97.5 % of the bootstrap's replicates: how far the drawn data move slip with the weights "
          "held, without the bias of smoothing");
    write("reference_slip", by_source, d.reference_slip, "m", "slip that made the synthetic data");
    write("patch_slip", by_patch, d.patch_slip, "m", "length of the patch's slip vector");
    write("patch_rake", by_patch, d.patch_rake, "degree", "its rake");
    write("patch_moment", by_patch, d.patch_moment, "N m", "its moment");
}

void write_windows(GroupWriter& root, const InversionDataset& d) {
    root.dimension<Text>("window", column(d.windows, &Window::name), {}, "when slip happens");
    root.text("window_kind", "window", column(d.windows, &Window::kind),
              "step, ramp, steady, coupling or history");
    root.variable<double>("window_begin", {"window"}, column(d.windows, &Window::begin_s), "s",
                          "begin of slip");
    root.variable<double>("window_end", {"window"}, column(d.windows, &Window::end_s), "s",
                          "end of slip");
    root.variable<double>("moment", {"window"}, column(d.windows, &Window::moment_nm), "N m",
                          "sum of the patches' moments; per year in windows of rates");
    root.variable<double>("moment_magnitude", {"window"},
                          column(d.windows, &Window::moment_magnitude), "1",
                          "(log10 moment - 9.1) / 1.5");
}

void write_matrices(GroupWriter& root, const InversionDataset& d) {
    if (d.unknowns.empty()) {
        return;
    }
    root.dimension<Text>("unknown", d.unknowns, {}, "amount of slip: window and what slips");
    root.dimension<Text>("other_unknown", d.unknowns, {}, "the same");
    if (!d.resolution.empty()) {
        root.variable<double>(
            "resolution", {"unknown", "other_unknown"}, d.resolution, "1",
            "of the estimate of unknown, how much other_unknown's truth is in it");
    }
    if (!d.covariance.empty()) {
        root.variable<double>("covariance", {"unknown", "other_unknown"}, d.covariance, "m2",
                              "posterior covariance, without bounds and sparsity");
    }
}

void write_choice(const GroupWriter& root, const InversionDataset::Choice& choice) {
    GroupWriter group = root.inside("choice");
    group.dimension<double>("smoothness", choice.smoothness, "1",
                            "weight lambda tried, in units of the attribute smoothness_scale");
    group.dimension<double>("sparsity", choice.sparsity, "1",
                            "weight alpha tried, in units of the attribute sparsity_scale");
    const GroupWriter::Axes axes = {"smoothness", "sparsity"};
    group.variable<double>("score", axes, choice.score, "1",
                           "chi^2 per observation of observations that were left out");
    group.variable<double>("score_error", axes, choice.error, "1", "its standard error over folds");
    group.variable<double>("misfit", axes, choice.misfit, "1", "chi^2 per observation of all");
    group.variable<double>("roughness", axes, choice.roughness, "m-2", "x'L'L x");
    group.variable<double>("abic", {"smoothness"}, choice.abic, "1",
                           "Akaike's Bayesian information criterion, without sparsity");
}

void write_set(const GroupWriter& data, const InversionDataset::Set& set, bool model_errors) {
    GroupWriter group = data.inside(set.name);
    group.variable<double>("sigma_factor", {}, std::vector{set.sigma_factor}, "1",
                           "factor on the stated standard deviations, which sigma has");
    group.variable<double>("unresolved_slip", {}, std::vector{set.unresolved_slip}, set.unit,
                           "rms of slip that changes within patches, whose motion sigma has");
    const std::vector<Row>& rows = set.rows;
    group.bare_dimension("row", rows.size());
    group.text("station", "row", column(rows, &Row::station), "station of the dataset");
    group.text("component", "row", column(rows, &Row::component), "east, north, up or los");
    const auto write = [&](const char* name, double Row::*member, const Text& units,
                           const char* long_name) {
        group.variable<double>(name, {"row"}, column(rows, member), units, long_name);
    };
    write("lon", &Row::lon_deg, "degrees_east", "longitude");
    write("lat", &Row::lat_deg, "degrees_north", "latitude");
    write("epoch", &Row::epoch_s, "s", "when the motion was measured, since the slip's time 0");
    write("since", &Row::since_s, "s", "from when on; none: since before all slip");
    write("observed", &Row::observed, set.unit, "observed motion");
    write("predicted", &Row::predicted, set.unit, "motion by the estimate, nuisance included");
    write("slip_part", &Row::slip_part, set.unit, "motion by the estimate's slip alone");
    write("sigma", &Row::sigma, set.unit, "standard deviation");
    if (model_errors) {
        write("model_error", &Row::model_error, set.unit,
              "standard deviation of the errors of the structure, which sigma has not");
    }
    std::vector<double> residual;
    for (const Row& row : rows) {
        residual.push_back(row.observed - row.predicted);
    }
    group.variable<double>("residual", {"row"}, residual, set.unit, "observed less predicted");
    group.bare_dimension("axis", 3);
    std::vector<double> direction;
    for (const Row& row : rows) {
        direction.insert(direction.end(), row.direction, row.direction + 3);
    }
    group.variable<double>("direction", {"row", "axis"}, direction, "1",
                           "east, north and up of the measured component");
    if (!set.nuisance.empty()) {
        group.dimension<Text>("nuisance_name", set.nuisance_names, {},
                              "unknowns of the measuring, with units");
        group.variable<double>("nuisance", {"nuisance_name"}, set.nuisance, "1", "their values");
    }
}

void write_posterior(const GroupWriter& root, const InversionDataset& d) {
    if (!d.posterior) {
        return;
    }
    const InversionDataset::Posterior& p = *d.posterior;
    GroupWriter group = root.inside("posterior");
    const auto write = [&](const char* name, const GroupWriter::Axes& axes,
                           const std::vector<double>& values, const char* units,
                           const char* long_name) {
        group.variable<double>(name, axes, values, units, long_name);
    };
    group.dimension<double>("quantile", p.quantiles, "1", "part of the draws that lies below");
    group.dimension<Text>("part", p.parts, {}, "part of the fault");
    group.dimension<Text>("amount", p.amounts, {}, "amount of slip that was sampled");
    group.dimension<Text>("number", p.numbers, {}, "moment or hyperparameter");
    group.dimension<Text>("set", column(d.sets, &InversionDataset::Set::name), {},
                          "set of observations");
    group.count("chain", static_cast<std::size_t>(p.chains), "chain of the sampler");
    const std::size_t per_draw = static_cast<std::size_t>(p.chains) * d.windows.size();
    group.count("draw", p.moment_draws.size() / per_draw, "draw of a chain, evenly thinned");
    write("slip", {"quantile", "window", "source"}, p.slip, "m", "quantiles of slip");
    write("patch_slip", {"quantile", "window", "patch"}, p.patch_slip, "m",
          "quantiles of the length of the patch's slip vector");
    write("level", {"window"}, p.level, "m", "slip whose probability is given");
    write("probability", {"window", "patch"}, p.probability, "1",
          "probability that the patch slips more than level");
    write("moment", {"quantile", "window"}, p.moment, "N m", "quantiles of the moment");
    write("moment_magnitude", {"quantile", "window"}, p.moment_magnitude, "1",
          "quantiles of (log10 moment - 9.1) / 1.5");
    group.variable<std::int32_t>("part_of_patch", {"patch"}, p.part_of_patch, "1",
                                 "index of the part that the patch is in");
    write("part_moment", {"quantile", "window", "part"}, p.part_moment, "N m",
          "quantiles of the moment of parts of the fault");
    group.variable<float>("slip_draws", {"chain", "draw", "window", "source"}, p.slip_draws, "m",
                          "draws of slip");
    const GroupWriter::Axes by_draw = {"chain", "draw", "window"};
    write("moment_draws", by_draw, p.moment_draws, "N m", "draws of the moment");
    write("sigma_draws", by_draw, p.sigma_draws, "m",
          "draws of the standard deviation of the field that slip is the positive part of");
    write("length_draws", by_draw, p.length_draws, "m",
          "draws of the length over which it is correlated along strike");
    write("roughness_draws", by_draw, p.roughness_draws, "1",
          "draws of its roughness, Matern's nu");
    write("factor_draws", {"chain", "draw", "set"}, p.factor_draws, "1",
          "draws of the factor on the stated standard deviations");
    if (!p.theta.empty()) {
        group.dimension<Text>("theta", p.theta, {}, "viscosity that was sampled with slip");
        group.bare_dimension("end", 2);
        write("theta_range", {"theta", "end"}, p.theta_range, "Pa s",
              "range in which the viscosity's logarithm is a priori uniform");
        write("viscosity", {"quantile", "theta"}, p.viscosity, "Pa s", "quantiles of viscosity");
        write("theta_draws", {"chain", "draw", "theta"}, p.theta_draws, "Pa s",
              "draws of viscosity");
        write("interpolation_error", {}, {p.interpolation_error}, "1",
              "rms error of the interpolated motion at the data over their standard deviations, "
              "largest of some draws");
        write("certified_error", {}, {p.certified_error}, "1",
              "bound of the reduced model's error over the largest change, largest of some draws");
    }
    write("effective_amount", {"amount"}, p.effective_amount, "1", "effective samples");
    write("r_hat_amount", {"amount"}, p.r_hat_amount, "1",
          "split R-hat: 1 where the halves of all chains agree");
    write("effective_number", {"number"}, p.effective_number, "1", "effective samples");
    write("r_hat_number", {"number"}, p.r_hat_number, "1",
          "split R-hat: 1 where the halves of all chains agree");
    for (const auto& [name, value] :
         {std::pair("iterations", std::int64_t{p.iterations}),
          std::pair("most_iterations", std::int64_t{p.most_iterations}),
          std::pair("discarded", std::int64_t{p.discarded}), std::pair("seed", p.seed)}) {
        group.attribute("moment_draws", name, value);
    }
}

void write_history(const GroupWriter& root, const InversionDataset& d) {
    if (!d.history) {
        return;
    }
    const InversionDataset::History& h = *d.history;
    GroupWriter group = root.inside("history");
    const auto write = [&](const char* name, const GroupWriter::Axes& axes,
                           const std::vector<double>& values, const char* units,
                           const char* long_name) {
        group.variable<double>(name, axes, values, units, long_name);
    };
    group.dimension<double>("edge", h.edges_s, "s", "when a step of time begins or ends");
    group.dimension<double>("step_begin", std::span(h.edges_s).first(h.edges_s.size() - 1), "s",
                            "when a step of time begins, in which rates are steady");
    write("slip_rate", {"step_begin", "source"}, h.rate, "m year-1", "rate of slip");
    write("slip_rate_sigma", {"step_begin", "source"}, h.rate_sigma, "m year-1",
          "standard deviation of the rate by errors and prior, without bounds");
    write("slip", {"edge", "source"}, h.slip, "m", "slip since the first edge");
    write("patch_rate", {"step_begin", "patch"}, h.patch_rate, "m year-1",
          "length of the vector of the patch's slip rate");
    write("patch_slip", {"edge", "patch"}, h.patch_slip, "m",
          "length of the patch's slip vector since the first edge");
    write("moment_rate", {"step_begin"}, h.moment_rate, "N m year-1", "moment rate");
    write("moment_rate_sigma", {"step_begin"}, h.moment_rate_sigma, "N m year-1",
          "standard deviation of the moment rate by errors and prior, without bounds");
    write("moment", {"edge"}, h.moment, "N m", "moment since the first edge");
    write("moment_sigma", {"edge"}, h.moment_sigma, "N m",
          "standard deviation of the moment by errors and prior, without bounds");
    group.dimension<Text>("series", h.series, {}, "set, station and component");
    group.dimension<Text>("term", h.terms, {}, "unknown of the measuring, with its unit");
    write("term_value", {"series", "term"}, h.term_values, "1",
          "value of the term, none where the series has not got it");
}

}  // namespace

void write_inversion_dataset(const std::string& path, const InversionDataset& d) {
    h5::write_atomically(path, [&](h5::File& file) {
        GroupWriter root(file);
        write_about(file, d.title.empty() ? d.name : d.title, d.kaname_version,
                    "slip estimated as the attribute specification says");
        for (const auto& [name, value] :
             {std::pair("name", d.name), std::pair("kind", Text("inversion")),
              std::pair("choice", d.choice.kind), std::pair("greens_name", d.greens_name),
              std::pair("greens_mesh_sha256", d.greens_mesh_sha256),
              std::pair("specification", d.specification_json),
              std::pair("report", d.report_json)}) {
            file.set_attribute("/", name, value);
        }
        for (const auto& [name, value] :
             {std::pair("smoothness_scale", d.choice.smoothness_scale),
              std::pair("sparsity_scale", d.choice.sparsity_scale),
              std::pair("chosen_smoothness", d.choice.chosen_smoothness),
              std::pair("chosen_sparsity", d.choice.chosen_sparsity),
              std::pair("moment_magnitude", d.moment_magnitude)}) {
            file.set_attribute("/", name, value);
        }
        if (d.model_members > 0) {
            file.set_attribute("/", "model_error_members", d.model_members);
            file.set_attribute("/", "model_error_rounds", d.model_rounds);
        }
        root.dimension<Text>("source", column(d.sources, &GreensDataset::Source::id), {},
                             "unit source: patch and slip component");
        root.count("corner", layout::kCorners, "corner of a patch");
        write_windows(root, d);
        root.dimension<Text>("patch", d.patches, {}, "patch");
        write_source_places(root, d.sources, d.projected);
        write_slip(root, d);
        write_matrices(root, d);
        write_choice(root, d.choice);
        const GroupWriter data = root.inside("data");
        for (const InversionDataset::Set& set : d.sets) {
            write_set(data, set, d.model_members > 0);
        }
        write_posterior(root, d);
        write_history(root, d);
        if (d.projected) {
            write_grid_mapping(file, d.crs_wkt);
        }
    });
}

std::string read_inversion_report(const std::string& path) {
    const h5::File file(path, h5::File::Mode::Read);
    const bool is = file.has_attribute("/", "kind") && file.has_attribute("/", "report") &&
                    file.string_attribute("/", "kind") == "inversion";
    return is ? file.string_attribute("/", "report") : "";
}

}  // namespace kaname::io
