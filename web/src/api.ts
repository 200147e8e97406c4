/** The server's API, typed; errors carry the server's own sentence, in the language of the page. */

import { language } from "./i18n";

export interface WordRecord {
  box: [number, number, number, number];
  line: number;
  hand: string;
  posterior: number;
  certainty: number;
  text?: string;
  kind?: Kind;
  computed_hand?: string;
  computed_kind?: Kind;
  by?: string;
}

export const KINDS = ["writing", "print", "stamp", "struck-out", "signature", "drawing"] as const;
export type Kind = (typeof KINDS)[number];

/** Only writing is compared and has a hand. */
export const isWriting = (word: WordRecord): boolean => (word.kind ?? "writing") === "writing";

export interface PageRecord {
  score: number;
  log10_lr: number;
  log10_lr_bounds: [number, number];
  log10_lr_interval: [number, number];
  hands: number;
  number_of_hands: number[];
  warnings: string[];
  words: WordRecord[];
  alike: { text: string; words: number[] }[];
  reference: { one_hand: number[]; several_hands: number[] } | null;
  scope?: { inside: boolean; weight: number; log10_lr_raw: number | null } | null;
}

export interface PageSummary {
  id: number;
  number: number;
  width: number;
  height: number;
  error: string;
  corrected: boolean;
  log10_lr: number | null;
  hands: number | null;
  support: Record<string, string> | null;
  words: number;
  warnings: string[];
  outside: boolean;
}

export interface Correction {
  id: number;
  examiner: string;
  change: { op: string; kind?: string; hand?: string; boxes?: number[][] };
  made: string;
  undone: string | null;
}

export interface PageDetail extends PageSummary {
  exhibit: number;
  case: number;
  name: string;
  sha256: string;
  tile_size: number;
  record: PageRecord | null;
  computed: PageRecord | null;
  run: { settings: Record<string, string>; versions: Record<string, string>; started: string } | null;
  statement: {
    scope: string | null;
    notices: string[];
    withheld: string | null;
    meaning: string;
    several: string;
    one: string;
    population: string;
    not_prior: string;
  } | null;
  operating: { name: string; one_hand: number[]; several_hands: number[]; documents: [number, number]; data: string } | null;
  corrections: Correction[];
}

export interface Exhibit {
  id: number;
  number: string;
  name: string;
  sha256: string;
  notes: string;
  known: string;
  pages: PageSummary[];
  duplicate?: boolean;
}

export interface Job {
  id: number;
  kind: string;
  arguments: Record<string, unknown>;
  state: "queued" | "running" | "done" | "failed";
  done: number;
  total: number;
  error: string;
  result?: unknown;
}

export interface CaseSummary {
  id: number;
  name: string;
  examiner: string;
  notes: string;
  demo: boolean;
  created: string;
  exhibits: number;
}

export interface CaseDetail extends Omit<CaseSummary, "exhibits"> {
  exhibits: Exhibit[];
  jobs: Job[];
}

export interface DocumentResult {
  hands: Record<string, { words: number; pages: number[] }>;
  pages: { words: { hand: string; certainty: number }[] }[];
  changes: { page: number; line: number; word: number; before: string; after: string; certainty: number }[];
  failures: { page: number; error: string }[];
  links?: { page: number; hand: string; words: number; to: string; log10_lr: number; linked: boolean; weak: boolean; turned: boolean }[];
  page_ids: number[];
  population: string;
  prior_of_hands: number[];
}

export interface CompareResult {
  log10_lr: number;
  bounds: [number, number];
  words: [number, number];
  statement: Record<"en" | "ko", { headline: string; meaning: string; one: string; two: string; population: string; notices: string[] }>;
  interval: [number, number] | null;
  by_hand: { hands: [string, string]; words: [number, number]; log10_lr: number }[];
  known: { pages: number; own: number[]; strangers: number } | null;
  scope?: { inside: boolean; weight: number; reasons: Record<string, string>[] };
}

export interface IdentifyResult {
  candidates: { name: string; log10_lr: number; confidence: number }[];
  accepted: string | null;
  none: number;
  enrolled: number;
  false_accepts: number;
  notices: Record<"en" | "ko", string[]>;
}

export interface Opinion {
  examiner: string;
  marks: Record<string, string>;
  conclusion: string;
  submitted: string | null;
}

export interface Opinions {
  own: Opinion | null;
  others: Opinion[];
  hidden: number;
  waiting: number;
  differences: { examiner: string; words: { box: string; own: string | null; other: string | null }[] }[];
}

export interface LogLine {
  id: number;
  at: string;
  examiner: string;
  action: string;
  details: Record<string, unknown>;
  hash: string;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function examiner(): string {
  return localStorage.getItem("handshift.examiner") ?? "";
}

export async function call<T>(path: string, method = "GET", body?: unknown): Promise<T> {
  const headers: Record<string, string> = {
    "X-Examiner": encodeURIComponent(examiner()),
    "Accept-Language": language(),
  };
  let content: BodyInit | undefined;
  if (body instanceof FormData) content = body;
  else if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    content = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body: content });
  } catch {
    throw new ApiError(0, "offline");
  }
  if (!response.ok) throw new ApiError(response.status, await reason(response));
  return (response.status === 204 ? undefined : await response.json()) as T;
}

async function reason(response: Response): Promise<string> {
  try {
    const { detail } = (await response.json()) as { detail: unknown };
    return typeof detail === "string" ? detail : JSON.stringify(detail);
  } catch {
    return `${response.status} ${response.statusText}`;
  }
}

export const crop = (page: number, [x, y, width, height]: number[]): string =>
  `/api/pages/${page}/crop.png?x=${x}&y=${y}&width=${width}&height=${height}`;
