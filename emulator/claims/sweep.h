// Sweeps: figures with the utilisation of several variants of a switch at each x, and checks of statements
// about them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "emulator/claims/claim.h"
#include "emulator/parameters.h"
#include "emulator/traffic/pattern.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {

/// A switch and its traffic, before x is set. Its results are the curve `name`.
struct Variant {
  std::string name;
  SwitchParameters parameters;
  TrafficOptions traffic;
};

/// Returns a variant with the parameters of `preset` ("ch4", "ch5", "ch8").
Variant variant_of(const std::string& preset, const std::string& name, const std::string& technique);

/// Returns the networks of D 5.5.2: wormhole, circuit, TDM with K = 4 preloaded slots ("preload") and with K
/// = 4 dynamic slots ("dynamic").
std::vector<Variant> ch5_variants(const std::string& pattern);
/// Returns the choices of the claims with ch5_variants().
std::vector<std::string> ch5_choices();

/// Returns the networks of D 8.5: wormhole, circuit, and predictive circuit switching ("tdm"), which preloads
/// and rotates all N - 1 configurations whether or not data waits for them.
std::vector<Variant> ch8_variants(const std::string& pattern);

/// Returns a variant of `preset` for every registered technique, by name, except those for tests (by their
/// descriptions). tdm has the variants "tdm preloaded" and "tdm dynamic", hybrid a variant "hybrid NAME" per
/// allocation.
std::vector<Variant> every_technique(const std::string& preset);

/// A mean and half its 95 % confidence interval (0: of one value).
struct Estimate {
  double mean = 0, half = 0;
  Estimate operator/(double divisor) const { return {mean / divisor, half / divisor}; }
};
Estimate estimate(std::span<const double> values);

using SetX = std::function<void(double x, SwitchParameters& parameters, TrafficOptions& traffic)>;

/// Appends the mean utilisation of each variant at each x to `figure.curves`, with confidence intervals if
/// there are several seeds, on the context's model. Rethrows the first exception of a run.
void sweep(const ClaimContext& context, Figure& figure, const std::vector<Variant>& variants,
           const SetX& set);

/// Returns the utilisation that no technique exceeds if all nodes send as fast as possible: the mean load of
/// the ports divided by the load of the busiest port, over inputs and outputs (row and column sums of the
/// traffic matrix). 0 without messages. All messages must have the same size. Consumes all sends of
/// `pattern`.
double load_bound(Pattern& pattern, std::uint32_t nodes);

/// Returns load_bound() of the traffic of `variant` at each x, as the mean over the seeds of the context.
Curve bound_curve(const ClaimContext& context, const Figure& figure, const Variant& variant, const SetX& set);

/// Returns a figure without curves over message sizes 8, 16, ..., 2048 bytes (D 5.5.2, 8.5).
Figure message_size_figure(const std::string& file, const std::string& title);
/// SetX of that figure.
void set_message(double x, SwitchParameters& parameters, TrafficOptions& traffic);

/// Returns the value of `curve` at x, which must be a point of the figure.
double at(const Figure& figure, const std::string& curve, double x);
/// Return the smallest and the largest value of `curves` at x.
double least(const Figure& figure, const std::vector<std::string>& curves, double x);
double most(const Figure& figure, const std::vector<std::string>& curves, double x);
/// Whether the largest value of `curves` at x is at most `factor` times the smallest.
bool within_factor(const Figure& figure, const std::vector<std::string>& curves, double x, double factor);
/// Return the points x <= last, x > last and x >= first.
std::vector<double> points_to(const Figure& figure, double last);
std::vector<double> points_past(const Figure& figure, double last);
std::vector<double> points_from(const Figure& figure, double first);
/// Returns the points for which `where(x)` holds.
std::vector<double> points_where(const Figure& figure, const std::function<bool(double)>& where);
/// Returns the values at some points as text: "at 64: a 0.410, b 0.380; at 128: ..."; with one curve without
/// its name.
std::string values(const Figure& figure, const std::vector<std::string>& curves,
                   const std::vector<double>& x);

/// Checks a statement that must hold at every point. The result shows the values at the first and the last
/// point; if it fails, the first and the last point that fail, with the values at the first: "at 2 of 9
/// points, 8 to 16: a 0.410, b 0.380".
ClaimCheck check_points(const std::string& statement, const Figure& figure,
                        const std::vector<std::string>& curves, const std::vector<double>& x,
                        const std::function<bool(double x)>& holds);

/// Marks `check` as one that cannot hold, with the argument, if it fails and every point of `x` at which it
/// fails is one where `impossible(x)`.
void cannot_hold(ClaimCheck& check, const std::vector<double>& x, const std::function<bool(double x)>& holds,
                 const std::function<bool(double x)>& impossible, const std::string& argument);

/// As check_points() for each point after the first, with the values at the previous point and at this one.
ClaimCheck check_steps(const std::string& statement, const Figure& figure, const std::string& curve,
                       const std::function<bool(double before, double now)>& holds);

/// One statement about several parts, whose names are the statements of `parts`: holds if it holds for each.
/// The result shows the figures of the parts that fail, or of all; equal figures once.
ClaimCheck for_all(const std::string& statement, const std::vector<ClaimCheck>& parts);

/// Whether all checks with a statement that begins with `beginning` hold.
bool all_hold(const std::vector<ClaimCheck>& checks, const std::string& beginning);

}  // namespace hybrid
