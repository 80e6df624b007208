//! Orients triangles consistently, and shells outward.
//!
//! Two triangles that share an edge run along it in opposite directions; a connected part is oriented as most of its
//! triangles are. A closed part of negative volume is reversed, unless it is a cavity: inside an odd number of other
//! parts. A part that was oriented inconsistently and lies inside an odd number of others becomes a cavity.

use std::ops::ControlFlow;

use glam::DVec3;

use super::soup::Soup;
use crate::geom::volume::signed_volume;
use crate::mesh::inside::winding_of;
use crate::mesh::walk_faces::walk_box;
use crate::shape::Mesh;

/// Orients triangles consistently, and closed parts outward.
pub(super) fn orient_faces(soup: &mut Soup) {
    let mut parts = Parts::new(soup);
    parts.wind(soup);
    parts.turn_outward(soup);
}

struct Parts {
    /// The part of each triangle.
    of: Vec<u32>,
    /// Triangles part by part, and where each part begins.
    order: Vec<u32>,
    starts: Vec<usize>,
    /// Which triangles have to be reversed for the part to be oriented as its first triangle.
    is_against: Vec<bool>,
    /// Every edge joins two triangles of the part, and it can be oriented consistently.
    is_closed: Vec<bool>,
    is_orientable: Vec<bool>,
}

impl Parts {
    /// Breadth first over edges of two triangles.
    fn new(soup: &Soup) -> Parts {
        const NONE: u32 = u32::MAX;
        let count = soup.triangles.len();
        let mut beside = vec![NONE; 3 * count];
        for uses in soup.sides().chunk_by(|a, b| a.0 == b.0) {
            if let [(_, g), (_, h)] = *uses {
                (beside[g as usize], beside[h as usize]) = (h, g);
            }
        }
        let mut parts = Parts {
            of: vec![NONE; count],
            order: Vec::with_capacity(count),
            starts: Vec::new(),
            is_against: vec![false; count],
            is_closed: Vec::new(),
            is_orientable: Vec::new(),
        };
        for first in 0..count as u32 {
            if parts.of[first as usize] != NONE {
                continue;
            }
            let part = parts.starts.len() as u32;
            let (mut is_closed, mut is_orientable) = (true, true);
            let mut open = parts.order.len();
            parts.starts.push(open);
            parts.order.push(first);
            parts.of[first as usize] = part;
            while let Some(&triangle) = parts.order.get(open) {
                open += 1;
                for side in 3 * triangle..3 * triangle + 3 {
                    let other_side = beside[side as usize];
                    if other_side == NONE {
                        is_closed = false;
                        continue;
                    }
                    let other = other_side / 3;
                    let is_same_way = soup.ends(side) == soup.ends(other_side);
                    let is_against = parts.is_against[triangle as usize] != is_same_way;
                    if parts.of[other as usize] == NONE {
                        parts.of[other as usize] = part;
                        parts.is_against[other as usize] = is_against;
                        parts.order.push(other);
                    } else if parts.is_against[other as usize] != is_against {
                        is_orientable = false;
                    }
                }
            }
            parts.is_closed.push(is_closed && is_orientable);
            parts.is_orientable.push(is_orientable);
        }
        parts.starts.push(count);
        parts
    }

    fn members(&self, part: usize) -> &[u32] {
        &self.order[self.starts[part]..self.starts[part + 1]]
    }

    fn count(&self) -> usize {
        self.is_closed.len()
    }

    /// Orients each part as most of its triangles are; parts that cannot be oriented are left.
    fn wind(&mut self, soup: &mut Soup) {
        for part in 0..self.count() {
            let members = &self.order[self.starts[part]..self.starts[part + 1]];
            let against = members.iter().filter(|&&t| self.is_against[t as usize]).count();
            let turned = if 2 * against <= members.len() { Some(true) } else { Some(false) };
            let turned = turned.filter(|_| self.is_orientable[part]);
            for &t in members {
                if turned == Some(self.is_against[t as usize]) {
                    soup.reverse(t as usize);
                }
            }
            // From here on: whether the part was oriented inconsistently.
            let was_mixed = against > 0 && against < members.len();
            self.is_against[self.order[self.starts[part]] as usize] = was_mixed;
        }
    }

    fn turn_outward(&self, soup: &mut Soup) {
        // Closed parts that may be reversed, and those whose nesting must be known.
        let closed: Vec<usize> = (0..self.count()).filter(|&part| self.is_closed[part]).collect();
        let mut doubtful = Vec::new();
        for &part in &closed {
            let triangles: Vec<[u32; 3]> = self.members(part).iter().map(|&t| soup.triangles[t as usize]).collect();
            let is_inward = signed_volume(&soup.places, &triangles) < 0.0;
            let was_mixed = self.is_against[self.members(part)[0] as usize];
            if is_inward || (was_mixed && closed.len() > 1) {
                doubtful.push((part, is_inward));
            }
        }
        let is_inside: Vec<bool> = if closed.len() > 1 && !doubtful.is_empty() {
            self.inside_others(soup, doubtful.iter().map(|&(part, _)| part))
        } else {
            vec![false; doubtful.len()]
        };
        for (&(part, is_inward), is_inside) in doubtful.iter().zip(is_inside) {
            if is_inward != is_inside {
                self.members(part).iter().for_each(|&t| soup.reverse(t as usize));
            }
        }
    }

    /// Whether each of some parts is inside an odd number of other closed ones, by one of its points.
    fn inside_others(&self, soup: &Soup, parts: impl Iterator<Item = usize>) -> Vec<bool> {
        let points: Vec<[f64; 3]> = soup.places.iter().map(|p| p.to_array()).collect();
        let Ok(mesh) = Mesh::new(&points, &soup.triangles) else { return parts.map(|_| false).collect() };
        let surface = mesh.surface();
        let mut over: Vec<(u32, [DVec3; 3])> = Vec::new();
        let is_inside = |part: usize| {
            let point = soup.triangles[self.members(part)[0] as usize][0];
            let point = surface.points[point as usize];
            over.clear();
            let end = DVec3::new(surface.bounds.max.x.max(point.x), point.y, point.z);
            let _ = walk_box(surface, [point, end], |slot| {
                let other = self.of[surface.ids[slot as usize] as usize];
                if other as usize != part && self.is_closed[other as usize] {
                    over.push((other, surface.corners(slot)));
                }
                ControlFlow::Continue(())
            });
            over.sort_by_key(|&(other, _)| other);
            let odd = |own: &[(u32, [DVec3; 3])]| winding_of(own.iter().map(|one| one.1), point) % 2 != 0;
            over.chunk_by(|p, q| p.0 == q.0).filter(|own| odd(own)).count() % 2 == 1
        };
        parts.map(is_inside).collect()
    }
}
