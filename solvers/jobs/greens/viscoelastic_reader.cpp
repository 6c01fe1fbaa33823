// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/directions.hpp"
#include "solvers/jobs/greens/packing.hpp"

namespace kaname::jobs {

/// Packs a dataset of the files of each call and hands its values over instead of writing it.
class ViscoelasticStages::Reader final : public SourceReader {
public:
    Reader(const ViscoelasticStages& stages, const GreensJob& job, const std::string& mesh_path)
        : stages_(stages), packing_(job, mesh_path, files_) {}

    const std::vector<double>& epochs_s() const override { return packing_.dataset.epochs_s; }
    std::vector<std::string> station_ids() const override {
        std::vector<std::string> ids;
        for (const io::GreensDataset::Station& station : packing_.dataset.stations) {
            ids.push_back(station.id);
        }
        return ids;
    }
    std::vector<std::string> components() const override {
        return {kDirections.begin(), kDirections.end()};
    }
    SourceBlock read(const SourceFiles& files) override {
        files_ = files;
        packing_.restart();
        stages_.pack_sources(packing_, true);
        SourceBlock block;
        for (const io::GreensDataset::Source& source : packing_.dataset.sources) {
            block.ids.push_back(source.id);
        }
        block.values = std::move(packing_.dataset.greens);
        return block;
    }

private:
    const ViscoelasticStages& stages_;
    SourceFiles files_;
    Packing packing_;
};

/// A force alone has no values of a source: what has ended is told without any, and slices of the
/// dataset have them.
class ViscoelasticStages::ForceReader final : public SourceReader {
public:
    const std::vector<double>& epochs_s() const override { return none_; }
    std::vector<std::string> station_ids() const override { return {}; }
    std::vector<std::string> components() const override {
        return {kDirections.begin(), kDirections.end()};
    }
    SourceBlock read(const SourceFiles& files) override {
        SourceBlock block;
        for (const auto& [id, file] : files) {
            block.ids.push_back(id);
        }
        return block;
    }

private:
    std::vector<double> none_;
};

std::unique_ptr<SourceReader> ViscoelasticStages::reader(const GreensJob& job,
                                                         const std::string& mesh_path) const {
    if (job.by_receivers) {
        return std::make_unique<ForceReader>();
    }
    return std::make_unique<Reader>(*this, job, mesh_path);
}

}  // namespace kaname::jobs
