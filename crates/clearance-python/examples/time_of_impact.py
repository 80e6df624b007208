"""When two moving bodies first touch: nothing is missed, however fast or thin they are."""

import clearance

# A bullet through a sheet a micrometre thick. Times run from 0 to 1, the length of the step.
bullet, sheet = clearance.Sphere(0.004), clearance.Box(half_extents=[1, 1, 5e-7])
fired = clearance.Motion(clearance.Pose.from_translation([0, 0, -5]), [0, 0, 900])
impact = clearance.time_of_impact(bullet, sheet, fired)
print(f"hit at {impact.value}")
impact.verify()

# A bar that turns on its way past a post: rotation and translation together.
bar, post = clearance.Box(half_extents=[1, 0.05, 0.05]), clearance.Cylinder(half_length=1.0, radius=0.1)
start = clearance.Pose.from_translation([-2, 0.5, 0])
end = clearance.Pose.from_axis_angle([0, 0, 1], 3.0, [2, 0.5, 0])
turning = clearance.RigidMotion.between(start, end)
impact = clearance.rigid_impact(bar, post, turning)
if impact:
    print(f"the bar touches the post at {impact.value}")
else:
    print(f"the bar passes at {clearance.least_clearance(bar, post, turning).value}")
impact.verify()
