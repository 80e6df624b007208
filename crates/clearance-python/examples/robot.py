"""A two-link arm: a motion that is proved free or has its first impact."""

import tempfile
from pathlib import Path

import clearance

ARM = """<robot name="arm">
  <link name="base"><collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <link name="upper"><collision>
    <origin xyz="0.5 0 0.15"/><geometry><box size="1 0.06 0.06"/></geometry></collision></link>
  <link name="lower"><collision>
    <origin xyz="0.4 0 0.08"/><geometry><box size="0.8 0.05 0.05"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0.15"/>
    <axis xyz="0 0 1"/><limit lower="-2.5" upper="2.5"/></joint>
</robot>"""

with tempfile.TemporaryDirectory() as folder:
    urdf = Path(folder) / "arm.urdf"
    urdf.write_text(ARM)
    post = ("post", clearance.Cylinder(half_length=0.5, radius=0.05), clearance.Pose.from_translation([0, 1.5, 0.5]))
    robot = clearance.Robot(urdf, world=[post])

for name, (lower, upper) in zip(robot.variables, robot.limits, strict=True):
    print(f"{name}: {lower} to {upper} rad")

# From one configuration to the other, every moment in between: no sampling.
for goal in ([0.9, 0.3], [2.5, 0.3]):
    sweep = robot.sweep([0, 0], goal)
    print(f"to {goal}: {'proved free' if sweep.free else f'first impact at {sweep.lower} of the way'}")
    assert sweep.free == (goal[0] < 2)
