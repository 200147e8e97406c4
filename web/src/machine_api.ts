/** Machines as the server sends them. */

import type { Job } from "./api";

export interface Gear {
  teeth?: number;
  ring?: number;
  planets?: number;
  speed?: number;
  sample_rate?: number;
  sensor?: number;
  turns?: number;
}

export interface Reference {
  detector: string;
  encoder: string;
  maps: Record<string, number>;
  held_out: Record<string, number>;
  target: number;
  guaranteed: Record<string, number | null>;
  cautions: string[];
}

export interface MachineSummary {
  id: number;
  name: string;
  notes: string;
  gear: Gear;
  reference: Reference | null;
  demo: boolean;
  created: string;
  files: number;
}

export interface MachineFile {
  id: number;
  name: string;
  sha256: string;
  normal: boolean;
  error: string;
  index: number | null;
  flagged: boolean | null;
  tooth: string | null;
  kind: "map" | "recording" | null;
  duplicate?: boolean;
}

export interface TrendPoint {
  file: number;
  name: string;
  index: number | null;
  flagged: boolean;
  tooth: string | null;
  alarm: boolean;
  error: string;
}

export interface Trend {
  points: TrendPoint[];
  alarm: boolean;
  rule: [number, number, number];
  change: { file: number; strength: number } | null;
  tooth: string | null;
  false_alarms: number | null;
  flag_rate: number | null;
}

export interface MachineDetail extends Omit<MachineSummary, "files"> {
  files: MachineFile[];
  trend: Trend;
  jobs: Job[];
}

export interface SensorRecord {
  domain: string | null;
  index: number;
  score: number;
  threshold: number;
  flagged: boolean;
  tooth: string | null;
  warning: string | null;
  size: [number, number];
  rows: number[];
  columns: number[];
}

export interface Spectrum {
  places: number[];
  amplitude: number[];
}

export interface MachineFileDetail extends MachineFile {
  machine: number;
  record: {
    worst: number;
    sensors: SensorRecord[];
    spectrum: { sensor: number; speed: number; marks: Record<string, number[]>; frequency: Spectrum; order: Spectrum } | null;
  } | null;
}
