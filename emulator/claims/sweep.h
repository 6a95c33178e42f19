// The usual figure: the same variants of a switch at each x, utilisation as y.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "emulator/claims/points.h"

namespace hybrid {

/// A curve to be: a switch and its traffic, before x is set.
struct Variant {
  std::string name;
  SwitchParameters parameters;
  TrafficOptions traffic;
};

/// A variant of a preset ("ch4", "ch5", "ch8").
Variant variant_of(const std::string& preset, const std::string& name, const std::string& technique);

/// A variant of `preset` for every technique that is registered, by name, but stand-ins, whose descriptions
/// say that they are for tests; "tdm preloaded" and "tdm dynamic" instead of tdm, "hybrid NAME" for every
/// allocation instead of hybrid.
std::vector<Variant> every_technique(const std::string& preset);

using SetX = std::function<void(double x, SwitchParameters& parameters, TrafficOptions& traffic)>;

/// Fills `figure.curves` with the utilisation of each variant at each x.
void sweep(const ClaimContext& context, Figure& figure, const std::vector<Variant>& variants,
           const SetX& set);

/// The physical bound of the variant's traffic at each x (emulator/traffic/load_bound.h), over the same
/// seeds.
Curve bound_curve(const ClaimContext& context, const Figure& figure, const Variant& variant, const SetX& set);

/// Message sizes 8, 16, ..., 2048 bytes (D 5.5.2, 8.5), and the figure's frame for them.
Figure message_size_figure(const std::string& file, const std::string& title);
void set_message(double x, SwitchParameters& parameters, TrafficOptions& traffic);

/// The value of `curve` at x, which must be one of the figure's.
double at(const Figure& figure, const std::string& curve, double x);
/// The smallest and the largest value of several curves at x.
double least(const Figure& figure, const std::vector<std::string>& curves, double x);
double most(const Figure& figure, const std::vector<std::string>& curves, double x);
/// Whether no curve is more than `factor` times another one at x.
bool alike(const Figure& figure, const std::vector<std::string>& curves, double x, double factor);
/// x of the points up to and with `last`, after it, and from `first` on.
std::vector<double> points_to(const Figure& figure, double last);
std::vector<double> points_past(const Figure& figure, double last);
std::vector<double> points_from(const Figure& figure, double first);
/// x of all points for which `where(x)` holds.
std::vector<double> points_where(const Figure& figure, const std::function<bool(double)>& where);
/// "64: a 0.41, b 0.38; 128: ..." for curves at some x.
std::string values(const Figure& figure, const std::vector<std::string>& curves,
                   const std::vector<double>& x);

/// A statement that must hold at every one of the points: counts and shows where it does not.
ClaimCheck check_points(const std::string& statement, const Figure& figure,
                        const std::vector<std::string>& curves, const std::vector<double>& x,
                        const std::function<bool(double x)>& holds);

/// The same from each point to the next: `holds` is asked from the second point on, with the point before.
ClaimCheck check_steps(const std::string& statement, const Figure& figure, const std::string& curve,
                       const std::function<bool(double before, double now)>& holds);

/// Whether all checks hold whose statement begins with `beginning`: what an explanation has to tell of.
bool all_hold(const std::vector<ClaimCheck>& checks, const std::string& beginning);

}  // namespace hybrid
