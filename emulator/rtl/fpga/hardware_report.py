#!/usr/bin/python3
"""Measures size and clock of the blocks on an iCE40 HX8K, and writes the tables of docs/hardware.md.

Usage: hardware_report.py PAGE [--bench PROGRAM] [--jobs N] [--table NAME]...

In PAGE, the table after each line <!-- greedy -->, <!-- level_wise -->, ... is replaced, or only the tables NAME. Each
block is synthesised by Yosys and placed by nextpnr with several seeds; the best counts. PROGRAM is hybrid_rtl_bench, for
the times of the C++ models and the clocks of the level-wise schedulers.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FLOWS = ("", "-abc9 -device hx")  # of Yosys
CELLS, RAMS = 7680, 32  # of an HX8K
DEVICE = ["device.sv", "uart.sv", "frame_receiver.sv", "frame_transmitter.sv", "fcs.sv", "greedy_rows.sv"]

LEVEL_WISE = ["level_wise.sv", "level_wise_block.sv", "level_wise_engine.sv", "level_wise_rows.sv"]


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def wrapper(module, parameters, inputs, outputs):
    """The block between registers: inputs from a shift register, outputs into registers whose parity is the output."""
    values = ", ".join(f".{name}({value})" for name, value in parameters.items())
    bits = sum(inputs.values())
    text = ["module timed (input logic clk, input logic shift_in, output logic parity);",
            f"  logic [{bits - 1}:0] shift;", "  always_ff @(posedge clk) shift <= (shift << 1) | shift_in;"]
    ports, at = [], 0
    for name, width in inputs.items():
        ports.append(f".{name}(shift[{at + width - 1}:{at}])")
        at += width
    for name, width in outputs.items():
        text += [f"  wire [{width - 1}:0] {name};", f"  logic [{width - 1}:0] {name}_1;",
                 f"  always_ff @(posedge clk) {name}_1 <= {name};"]
        ports.append(f".{name}({name})")
    if module not in ("greedy_array", "matching_logic"):  # they are combinational
        ports.append(".clk(clk)")
    sums = ", ".join(f"^{name}_1" for name in outputs)
    text += [f"  {module} #({values}) block ({', '.join(ports)});", f"  logic [{len(outputs) - 1}:0] sums;",
             "  always_ff @(posedge clk) begin", f"    sums <= {{{sums}}};", "    parity <= ^sums;", "  end", "endmodule", ""]
    return "\n".join(text)


def ports_of(module, files, parameters, folder):
    """The widths of a block's inputs and outputs by name, without its clock."""
    values = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    code, log = run(["yosys", "-q", "-p", f"read_verilog -sv {' '.join(files)}; chparam {values} {module}; "
                     f"hierarchy -top {module}; rename -top top; proc; write_json ports.json"], folder)
    if code != 0:
        sys.exit(f"{module}: yosys failed:\n{log[-2000:]}")
    with open(os.path.join(folder, "ports.json")) as out:
        ports = json.load(out)["modules"]["top"]["ports"]
    return [{name: len(port["bits"]) for name, port in ports.items() if port["direction"] == direction and name != "clk"}
            for direction in ("input", "output")]


def nets_of(folder):
    """The number of nets of a synthesised block."""
    with open(os.path.join(folder, "block.json")) as out:
        modules = json.load(out)["modules"].values()
    top = next(module for module in modules if int(module["attributes"].get("top", "0"), 2))
    return len({bit for cell in top["cells"].values() for bits in cell["connections"].values() for bit in bits
                if isinstance(bit, int)})


class Block:
    """One block with its parameters, between registers if it has `inputs` or is WRAPPED. `synthesise` sets rams, cells,
    mhz (None: too large), and nets and registers of the block; the fastest result of all flows and seeds counts."""

    WRAPPED = "all ports"

    def __init__(self, module, files, parameters, inputs=None, outputs=None, seeds=2):
        self.module, self.files, self.parameters = module, files, parameters
        self.inputs, self.outputs, self.seeds = inputs, outputs, seeds
        self.mhz = self.cells = self.fits = None

    def synthesise(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(SOURCES, name) for name in self.files]
            top = self.module
            if self.inputs == Block.WRAPPED:
                self.inputs, self.outputs = ports_of(top, files, self.parameters, folder)
            if self.inputs is not None:
                files.append(os.path.join(folder, "timed.sv"))
                with open(files[-1], "w") as out:
                    out.write(wrapper(self.module, self.parameters, self.inputs, self.outputs))
                top, chparam = "timed", ""
            else:
                chparam = "chparam " + " ".join(f"-set {n} {v}" for n, v in self.parameters.items()) + " " + top + "; "
            for flow in FLOWS:
                if self.fits is False:
                    break  # the flows differ by less
                self.place(f"read_verilog -sv {' '.join(files)}; {chparam}synth_ice40 {flow} -top {top} -json block.json; "
                           "tee -q -o stat.txt stat", folder)
        return self

    def place(self, script, folder):
        code, log = run(["yosys", "-q", "-p", script], folder)
        if code != 0:
            sys.exit(f"{self.module}: yosys failed:\n{log[-2000:]}")
        with open(os.path.join(folder, "stat.txt")) as stat:
            counts = {k: int(n) for k, n in re.findall(r"(SB_\w+)\s+(\d+)", stat.read())}
        luts, self.rams = counts.get("SB_LUT4", 0), counts.get("SB_RAM40_4K", 0)
        registers = sum(n for name, n in counts.items() if name.startswith("SB_DFF"))
        # Every LUT and every register needs a cell.
        self.fits = max(luts, registers) <= 1.5 * CELLS and self.rams <= RAMS
        if self.cells is None:
            self.cells, self.registers, self.nets = luts, registers, nets_of(folder)
            if self.inputs is not None:  # the wrapper's
                outputs = sum(self.outputs.values()) + len(self.outputs) + 1
                self.registers -= sum(self.inputs.values()) + outputs
                self.nets -= outputs
        if max(luts, registers) > CELLS or self.rams > RAMS:
            return
        for seed in range(1, self.seeds + 1):
            code, log = run(["nextpnr-ice40", "--hx8k", "--package", "ct256", "--json", "block.json", "--freq", "100",
                             "--timing-allow-fail", "--pcf-allow-unconstrained", "--seed", str(seed), "--report",
                             "report.json", "-q"], folder)
            if code != 0:  # does not fit or route
                continue
            with open(os.path.join(folder, "report.json")) as out:
                report = json.load(out)
            mhz = max(clock["achieved"] for clock in report["fmax"].values())
            if mhz > (self.mhz or 0):
                self.mhz, self.cells = mhz, report["utilization"]["ICESTORM_LC"]["used"]

    def ns(self, clocks=1):
        return None if self.mhz is None else 1000 * clocks / self.mhz


def bits(n):
    return (n - 1).bit_length()


def number(value, digits=0):
    return "" if value is None else f"{value:,.{digits}f}"


def cells(block):
    return number(block.cells)


def rams(block):
    return str(block.rams)


def mhz(block):
    return number(block.mhz, 1) or "too large"


def ns(block):
    return number(block.ns(), 1) or "too large"


def columns(block, *texts):
    """What the functions `texts` print of the block; blanks without a block."""
    return [text(block) if block else "" for text in texts]


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---:|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def benchmarks(program):
    """Results by benchmark name; none without the program."""
    if program is None:
        return {}
    out = subprocess.run([program, "--benchmark_format=json"], capture_output=True, text=True, check=True).stdout
    return {b["name"]: b for b in json.loads(out)["benchmarks"]}


def level_wise_row(w, blocks, results):
    """Of the three designs, for a permutation of all nodes, its clocks counted by the RTL under Verilator."""
    table_1 = {4: 480, 8: 4352, 16: 38912}
    row = [number(w**3)]
    for block, name in zip(blocks, (f"rtl:level-wise/{w}", f"rtl:level-wise/two/{w}", f"rtl:level-wise/array/{w}")):
        clocks = results.get(name, {}).get("clocks")
        row += columns(block, cells, rams, mhz, lambda b, c=clocks: number(c and b.ns(c)))
    return row + [number(table_1[w]), number(results.get(f"level-wise/{w}", {}).get("cpu_time"))]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("page")
    arguments.add_argument("--bench")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--table", action="append")
    given = arguments.parse_args()

    greedy = {n: Block("greedy_array", ["greedy_array.sv"], {"N": n, "CELLS": "1'b1"},
                       {"establish": n * n, "release_": n * n, "inputs_in_use": n, "outputs_in_use": n},
                       {"toggle": n * n}, seeds=10 if n <= 16 else 2) for n in (4, 8, 16, 32, 64)}
    rows = {n: Block("greedy_rows", ["greedy_rows.sv"], {"N": n, "K": 4}) for n in (8, 16, 32, 64, 128)}
    level_wise = {(w, 1): Block("level_wise", LEVEL_WISE, {"W": w}) for w in (4, 8, 16)}
    level_wise |= {(w, 2): Block("level_wise_pair", LEVEL_WISE + ["level_wise_pair.sv", "level_wise_issue.sv", "level_wise_queues.sv"],
                                 {"W": w}) for w in (4, 8, 16)}
    level_wise[4, 16] = Block("level_wise_array", ["level_wise_array.sv", "level_wise_cell.sv"], {"W": 4},
                                Block.WRAPPED, seeds=4)
    queues = {n: Block("n_queue", ["n_queue.sv"], {"N": n, "DEPTH": 64, "WIDTH": 64},
                       {"reset": 1, "push": 1, "destination": bits(n), "in": 64, "pull": 1, "source": bits(n)},
                       {"out": 64, "full": n, "empty": n}) for n in (4, 8, 16, 32, 64, 128)}
    matching = {("matrix", n): Block("matching_matrix", ["matching_matrix.sv", "greedy_pass.sv", "greedy_array.sv"],
                                     {"N": n, "CELLS": "1'b1"},
                                     {"start": 1, "request": n * n, "established": n * n, "slot": n * n, "a": bits(n),
                                      "b": bits(n), "odd_steps": bits(n) + 1}, {"done": 1, "toggle": n * n}) for n in (4, 8)}
    matching |= {("pure logic", n): Block("matching_logic", ["matching_logic.sv"], {"N": n},
                                          {"request": n * n, "established": n * n, "slot": n * n, "toggle": n * n,
                                           "odd_steps": bits(n) + 1}, {"improves": 1, "better": n * n}) for n in (4, 8)}
    matching |= {("vector", n): Block("matching_vector", ["matching_vector.sv"], {"N": n},
                                      {"reset": 1, "load": 1, "row": bits(n), "request": n, "established": n, "slot": n,
                                       "toggle": n, "start": 1, "odd_steps": bits(n) + 1}, {"done": 1, "matched": n})
                 for n in (16, 32, 64, 128)}
    wormhole = {n: Block("wormhole_scheduler", ["wormhole_scheduler.sv"], {"N": n},
                         {"reset": 1, "request": n * n, "release_inputs": n, "release_outputs": n, "pass": 1},
                         {"grant": n * n}) for n in (4, 8)}
    controllers = {m: Block("tdm_controller", ["tdm_controller.sv"], {"K": 16, "MODE": m, "LENGTH": 16}) for m in range(4)}
    nodes = {n: Block("switch_node", ["switch_node.sv", "slot_scheduler.sv", "greedy_pass.sv", "greedy_array.sv",
                                      "tdm_controller.sv"], {"N": n, "K": 4},
                      {"reset": 1, "slot_length": 8, "guard": 8, "reconfiguration": 8, "flush": n, "preload": 1,
                       "preload_slot": 2, "configuration": n * n, "request": n * n, "release_": n * n},
                      {"lost": n * n, "established": n * n, "begins": 1, "idle": 1, "slot": 3, "connected": n,
                       "connection": n * bits(n), "granted": n}) for n in (4, 8)}
    nics = {n: Block("nic", ["nic.sv", "nic_requests.sv", "n_queue.sv"], {"N": n, "K": 4, "DEPTH": 64, "WIDTH": 64},
                     {"reset": 1, "timeout": 12, "flush": 1, "offers": 1, "first": 1, "last": 1, "destination": bits(n),
                      "word": 64, "granted": 1, "grant": bits(n), "lost": n, "established": n},
                     {"accepted": 1, "request": n, "release_": n, "in_table": n, "sends": 1, "link": 64})
            for n in (4, 8, 16)}
    device = {n: Block("device", DEVICE, {"N": n, "K": 16, "CLOCKS": 12}) for n in (16, 32, 64)}
    scheduler = ["wormhole_scheduler.sv"]
    wormhole_node = ["wormhole_node.sv", "worm_queues.sv", "n_queue.sv", *scheduler]
    switch_node = nodes[4].files
    # Module, the files of its parts, N, other parameters.
    others = [Block(module, [module + ".sv", *files], {"N": n, **more}, Block.WRAPPED) for module, files, sizes, more in (
        ("worm_queues", ["n_queue.sv"], (4, 8), {}),
        ("wormhole_node", wormhole_node[1:], (4, 8), {}),
        ("worm_nic", ["n_queue.sv"], (4, 8), {}),
        ("circuit_node", scheduler, (4, 8), {}),
        ("circuit_nic", ["n_queue.sv"], (4, 8), {}),
        ("hybrid_node", switch_node + wormhole_node, (4, 8), {"K": 4}),
        ("hybrid_nic", ["nic.sv", "nic_requests.sv", "worm_nic.sv", "n_queue.sv"], (4,), {"K": 4}),
    ) for n in sizes]
    slots = [Block("level_wise_slots", ["level_wise_slots.sv"], {"W": w, "K": 16}, Block.WRAPPED) for w in (4, 8, 16)]
    blocks_of = {"greedy": [*greedy.values(), *rows.values()], "level_wise": level_wise.values(), "n_queue": queues.values(),
                 "matching": matching.values(), "controllers": controllers.values(),
                 "nodes": [*wormhole.values(), *nodes.values(), *nics.values()], "others": others, "slots": slots,
                 "device": device.values()}
    chosen = given.table or list(blocks_of)
    blocks = [block for name in chosen for block in blocks_of[name]]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for done, block in enumerate(pool.map(Block.synthesise, blocks), 1):
            print(f"{done} of {len(blocks)}: {block.module} {block.parameters}: {block.cells} cells, "
                  f"{number(block.mhz, 1) or 'too large'} MHz", flush=True)
    results = benchmarks(given.bench)
    model = {name: result["cpu_time"] for name, result in results.items()}

    table_5_3 = {4: 34, 8: 49, 16: 76, 32: 120, 64: 213, 128: 385}
    table_8_1 = {4: (361, 78), 8: (480, 88), 16: (1439, 69), 32: (1988, 67), 64: (3939, 63), 128: (8010, 59)}
    tables = {
        "greedy": lambda: table(
            ["N", "array: cells", "ns a pass", "rows: cells", "RAMs", "MHz", "ns a pass", "D Table 5.3", "C++ model"],
            [[str(n), *columns(greedy.get(n), cells, ns), *columns(rows.get(n), cells, rams, mhz),
              *columns(rows.get(n), lambda b: number(b.ns(b.parameters["N"] + 1))), number(table_5_3[n]),
              number(model.get(f"greedy/{n}"))] for n in sorted({*greedy, *rows})]),
        "level_wise": lambda: table(
            ["nodes", *("cells", "RAMs", "MHz", "ns"), *("pair: cells", "RAMs", "MHz", "ns"),
             *("array: cells", "RAMs", "MHz", "ns"), "L Table 1", "C++ model"],
            [level_wise_row(w, [level_wise.get((w, e)) for e in (1, 2, 16)], results) for w in (4, 8, 16)]),
        "n_queue": lambda: table(
            ["N", "cells", "RAMs", "MHz", "D Table 8.1: cells", "MHz"],
            [[str(n), cells(b), rams(b), mhz(b), number(table_8_1[n][0]), number(table_8_1[n][1])] for n, b in queues.items()]),
        "matching": lambda: table(
            ["processor", "N", "cells", "nets", "registers", "RAMs", "ns a step"],
            [[processor, str(n), cells(b), number(b.nets), number(b.registers), rams(b),
              number(b.ns(n + 2 if processor == "vector" else 1), 1) or "too large"]
             for (processor, n), b in matching.items()]),
        "controllers": lambda: table(
            ["D figure", "cells", "MHz"],
            [[("4.4", "4.6", "4.8", "4.10")[m], cells(b), mhz(b)] for m, b in controllers.items()]),
        "nodes": lambda: table(
            ["N", "wormhole scheduler: cells", "ns a pass", "switch node: cells", "MHz", "NIC: cells", "MHz"],
            [[str(n), *columns(wormhole.get(n), cells, ns), *columns(nodes.get(n), cells, mhz), cells(b), mhz(b)]
             for n, b in nics.items()]),
        "slots": lambda: table(
            ["nodes", "cells", "RAMs", "MHz"],
            [[number(b.parameters["W"]**3), cells(b), rams(b), mhz(b)] for b in slots]),
        "others": lambda: table(
            ["block", "N", "cells", "RAMs", "MHz"],
            [[b.module, str(b.parameters["N"]), cells(b), rams(b), mhz(b)] for b in others]),
        "device": lambda: table(
            ["N", "cells", "RAMs", "MHz"], [[str(n), cells(b), rams(b), mhz(b)] for n, b in device.items()]),
    }
    with open(given.page) as page:
        text = page.read()
    for name in chosen:
        content = tables[name]()
        text, found = re.subn(rf"(<!-- {name} -->\n)(\|.*\n)+", lambda match: match[1] + content + "\n", text)
        if found != 1:
            sys.exit(f"{given.page}: expected one table after <!-- {name} -->, found {found}")
    with open(given.page, "w") as page:
        page.write(text)


if __name__ == "__main__":
    main()
