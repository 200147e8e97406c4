"""Simulated vibration of a planetary stage at one sensor on the ring:

x(t) = Σ_p w(θ − 2πp/P)·Σ_h A_h·(1 + a_i + b_j)·cos(h·n_p) + impacts of a broken tooth, ringing + noise,

where θ is the carrier's angle and n_p = ring·(θ + 2πp/P) counts the meshes of planet p: with 95 ring teeth
and three planets these are a third of a mesh apart, so orders that are not multiples of three nearly cancel.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from scipy.signal import fftconvolve

from handshift.healthmap.planetary_stage import PlanetaryStage
from handshift.healthmap.simulate.faults import CONTACT_PROBABILITY, GAMMA_SHAPE, FaultKind
from handshift.healthmap.vibration.channels import Floats64


class SignalSimulation(BaseModel):
    """Settings of one recording; the defaults are chosen, not measured [D]."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stage: PlanetaryStage = PlanetaryStage()
    rate: float = Field(default=12_800, gt=0, description="samples per second")
    seconds: float = Field(default=30, gt=0)
    speed: float = Field(default=4, gt=0, description="carrier turns per second")
    variation: float = Field(default=0.01, ge=0, lt=0.5, description="share by which the speed swings")
    swing: float = Field(default=0.15, ge=0, description="swings per second")
    harmonics: tuple[float, ...] = (1.0, 0.5, 0.25)
    sharpness: float = Field(default=4, ge=0, description="of the sensor's window")
    tooth_spread: float = Field(default=0.05, ge=0, description="sigma of the tooth-to-tooth terms")
    noise: float = Field(default=0.1, ge=0)
    fault: FaultKind | None = None
    tooth: int = Field(default=0, ge=0)
    size: float = Field(default=2, ge=0, description="amplitude of a fault's impacts, mesh tone = 1")
    resonance: float = Field(default=2500, gt=0, description="resonance of the housing, in hertz")
    damping: float = Field(default=0.08, gt=0, lt=1)
    seed: int = Field(default=0, ge=0)


@dataclass(frozen=True, slots=True)
class SimulatedSignal:
    """A simulated recording with its true carrier angle."""

    signal: Floats64 = field(repr=False)
    rate: float
    turns: Floats64 = field(repr=False)
    """The carrier's angle in turns, at every sample."""
    tacho: Floats64 = field(repr=False)
    """Times in seconds at which each turn begins."""


def simulate_signal(settings: SignalSimulation) -> SimulatedSignal:
    """Simulate one recording.

    Args:
        settings: Stage, speed, fault and noise.

    Returns:
        The signal, (samples,), with the carrier angle and the tacho pulses.
    """
    rng = np.random.default_rng(settings.seed)
    stage = settings.stage
    seconds = np.arange(round(settings.rate * settings.seconds)) / settings.rate
    turns = settings.speed * seconds
    if settings.swing:
        swing = 2 * np.pi * settings.swing
        turns = turns + settings.speed * settings.variation * (1 - np.cos(swing * seconds)) / swing
    planet_teeth = settings.tooth_spread * rng.standard_normal((stage.planets, stage.planet))
    ring_teeth = settings.tooth_spread * rng.standard_normal(stage.ring)
    signal = settings.noise * rng.standard_normal(len(seconds))
    impacts = np.zeros(len(seconds))
    for planet in range(stage.planets):
        place = turns + planet / stage.planets
        mesh = stage.ring * place
        sensitivity = ((1 + np.cos(2 * np.pi * place)) / 2) ** settings.sharpness
        strength = 1 + _smooth(planet_teeth[planet], mesh) + _smooth(ring_teeth, mesh)
        for number, size in enumerate(settings.harmonics, 1):
            signal += sensitivity * size * strength * np.cos(2 * np.pi * number * mesh)
        if settings.fault is not None:
            _add_impacts(impacts, sensitivity, mesh, planet, settings, rng)
    if settings.fault is not None:
        signal += fftconvolve(impacts, _ringing(settings))[: len(signal)]
    tacho = np.interp(np.arange(np.ceil(turns[0]), turns[-1]), turns, seconds)
    return SimulatedSignal(signal, settings.rate, turns, tacho)


def _add_impacts(
    impacts: Floats64,
    sensitivity: Floats64,
    mesh: Floats64,
    planet: int,
    settings: SignalSimulation,
    rng: np.random.Generator,
) -> None:
    stage = settings.stage
    if settings.fault is FaultKind.PLANET:
        if planet:  # the broken tooth is the first planet's
            return
        teeth, count = stage.planet, mesh
    elif settings.fault is FaultKind.RING:
        teeth, count = stage.ring, mesh
    else:
        # Between two planets the sun turns by a third of its teeth, not by a third of the ring's.
        teeth, count = stage.sun, mesh + planet * (stage.sun - stage.ring) / stage.planets
    whole: NDArray[np.int64] = np.floor(count).astype(np.int64)
    begins = np.flatnonzero(np.diff(whole)) + 1
    struck = begins[whole[begins] % teeth == settings.tooth % teeth]
    struck = struck[rng.random(len(struck)) < CONTACT_PROBABILITY]
    # A broken ring tooth does not move relative to the sensor; the others pass it.
    gain = 1.0 if settings.fault is FaultKind.RING else sensitivity[struck]
    impacts[struck] += settings.size * gain * rng.gamma(GAMMA_SHAPE, 1 / GAMMA_SHAPE, len(struck))


def _ringing(settings: SignalSimulation) -> Floats64:
    """Impulse response e^(−ζωt)·sin(ω_d·t), truncated after eight time constants."""
    omega = 2 * np.pi * settings.resonance
    seconds = np.arange(round(settings.rate * 8 / (settings.damping * omega)) + 2) / settings.rate
    damped = omega * np.sqrt(1 - settings.damping**2)
    return np.asarray(np.exp(-settings.damping * omega * seconds) * np.sin(damped * seconds), np.float64)


def _smooth(teeth: Floats64, mesh: Floats64) -> Floats64:
    """Tooth values interpolated linearly between the middles of their meshes, periodically."""
    places = np.arange(len(teeth) + 1) + 0.5
    values = np.interp((mesh - 0.5) % len(teeth) + 0.5, places, np.append(teeth, teeth[0]))
    return np.asarray(values, np.float64)
