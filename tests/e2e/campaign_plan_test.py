#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""`kaname campaign plan` with the programs: figures, members, and refusals with their exit codes.

Usage: campaign_plan_test.py [bin folder] [source folder]
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin").resolve()
SOURCE = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".").resolve()
AXES = """vary:
  - {name: eta, key: 'structure.materials[mantle].viscosity_pa_s', values: [1e18, 1e19]}
  - {name: dip, key: fault.plane.dip_deg, values: [45, 60]}
"""


class CampaignPlan(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kaname-plan-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def plan(self, text, *options):
        file = self.folder / "campaign.yaml"
        file.write_text("schema: kaname.v1.Campaign\nname: tiny-many\n"
                        f"base: {SOURCE}/tests/e2e/data/tiny.yaml\n" + text)
        return subprocess.run([BIN / "kaname", "campaign", "plan", file, *options],
                              capture_output=True, text=True)

    def test_figures_and_members(self):
        done = self.plan(AXES, "--members", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        plan = json.loads(done.stdout)
        self.assertEqual((plan["cost"]["jobs"], plan["cost"]["stages"],
                          plan["cost"]["shared_stages"], plan["cost"]["sources"]), (4, 14, 2, 8))
        self.assertEqual(plan["preflights"], 2)
        self.assertEqual([member["label"] for member in plan["members"]],
                         ["eta=1e18,dip=45", "eta=1e18,dip=60", "eta=1e19,dip=45",
                          "eta=1e19,dip=60"])
        alone = json.loads(subprocess.run(
            [BIN / "kaname", "estimate", "--json", SOURCE / "tests/e2e/data/tiny.yaml"],
            capture_output=True, text=True, check=True).stdout)
        # The base has this dip and this viscosity.
        self.assertEqual(plan["members"][2]["dof"], alone["dof"])
        self.assertEqual(plan["members"][2]["bytes"], alone["dataset_bytes"])
        self.assertIn("4 (2 x 2)", self.plan(AXES).stdout)

    def test_what_goes_beyond_its_limits_is_refused_with_the_figures(self):
        done = self.plan(AXES + "limits: {bytes: 100}\n", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(list(json.loads(done.stdout)), ["error"])
        self.assertIn("limits.bytes: must hold the plan, whose datasets take 1.7 KiB, got 100 B",
                      done.stderr)

    def test_a_wrong_member_refuses_all_unless_it_is_to_be_left_out(self):
        wrong = AXES.replace("60", "95")
        done = self.plan(wrong)
        self.assertEqual(done.returncode, 2)
        self.assertIn("members eta=1e18,dip=95 and eta=1e19,dip=95: fault.plane.dip_deg: must be "
                      "in 1..90, got 95 (line 6 of campaign.yaml)", done.stderr)
        done = self.plan(wrong, "--skip-bad", "--json")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([bad["label"] for bad in json.loads(done.stdout)["skipped"]],
                         ["eta=1e18,dip=95", "eta=1e19,dip=95"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
