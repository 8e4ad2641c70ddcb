import type { ChangeOrigin, Door } from '../../core/change-origin.ts'
import { type ErrorCode, ServiceError } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import type { Trailer } from './message.ts'

/** A valid document, with the facts for its commit. */
export interface PreparedDocument {
  /** The bytes to write: the prepared ones, or a copy with its secrets sealed. */
  readonly document: Uint8Array<ArrayBuffer>
  readonly schemaVersion: number
  /** The subject of its commit: a summary of the changes. */
  readonly subject: string
  /** The entities that it changes; absent where that takes too long to find out. */
  readonly entities?: readonly string[]
  /** More facts for the end of the message. */
  readonly trailers?: readonly Trailer[]
}

/** A document that is ready to be committed, with nothing left to compute. */
export interface PreparedChange extends PreparedDocument {
  readonly author: string
  readonly door: Door
  /** The reason in the words of the author; may be empty. */
  readonly message: string
}

export type Preparation =
  | ({ readonly ok: true } & PreparedDocument)
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Validates a document as the successor of another one; null when it begins the history. */
export type Examine = (
  document: Uint8Array<ArrayBuffer>,
  before: Uint8Array<ArrayBuffer> | null,
) => Promise<Preparation>

/** A file beside the document, in one commit. */
export interface FileBeside {
  /** The name of its object: equal names have equal bytes. */
  readonly oid: string
  read(): Promise<Uint8Array<ArrayBuffer> | null>
}

/** The commit that a change comes upon, and the reason that its author gives. */
export interface ChangeGround {
  /** Finds a file of that name in the folder of the document; null when the commit has none. */
  readonly findBeside: (name: string) => Promise<FileBeside | null>
  /** May be empty. */
  readonly message: string
}

/**
 * The same for a document that is to be committed: asserts that the gate lets the change pass.
 *
 * @throws {ServiceError} `not-permitted` when it does not; `maintenance` while saves are refused.
 */
export type Prepare = (
  document: Uint8Array<ArrayBuffer>,
  before: Uint8Array<ArrayBuffer> | null,
  origin: ChangeOrigin,
  ground: ChangeGround,
) => Promise<Preparation>

/** The document of a commit of a push, and the one that it came upon. */
export interface PushedChange {
  readonly before: Uint8Array<ArrayBuffer>
  readonly after: Uint8Array<ArrayBuffer>
  /** The reason that the commit gives; may be empty. */
  readonly message: string
}

/** A commit of a push, with the documents of the commits that it came upon. */
export interface PushedCommit extends Omit<PushedChange, 'before'> {
  readonly parents: readonly Uint8Array<ArrayBuffer>[]
}

/** The commits of a push upon the document that is current. */
export interface PushToJudge {
  readonly before: Uint8Array<ArrayBuffer>
  /** Finds a file in the folder of the document, as it is before the push. */
  readonly findBeside: ChangeGround['findBeside']
  /** The same after the push. */
  readonly findPushed: ChangeGround['findBeside']
  /** The reason that the newest commit gives. */
  readonly message: string
  /** Reads the commits, the oldest first; each changes the document alone. */
  readonly listChanges: () => AsyncIterable<PushedChange>
  /** Reads the commits, the oldest first, whatever they change. */
  readonly listCommits: () => AsyncIterable<PushedCommit>
}

/**
 * Asserts that the gate lets every commit of a push pass.
 *
 * @throws {ServiceError} `not-permitted` when it does not.
 */
export type JudgePush = (push: PushToJudge, origin: ChangeOrigin) => Promise<void>

/** Commits that git has made in the repository, upon the document that is current. */
export interface NativeCommitsToJudge extends Omit<PushToJudge, 'listChanges'> {
  /** The document of the newest one, valid or not; null where it has none. */
  readonly after: Uint8Array<ArrayBuffer> | null
}

/**
 * Asserts that the gate lets every one of them pass.
 *
 * @throws {ServiceError} `not-permitted` when it does not.
 */
export type JudgeNative = (commits: NativeCommitsToJudge, origin: ChangeOrigin) => Promise<void>

/** The errors of edits that may be taken over later as they are. */
const REFUSALS: readonly ErrorCode[] = ['not-permitted', 'maintenance']

/**
 * Prepares an edit that nobody waits for: what the gate does not let pass is one more reason why it is
 * not taken over.
 */
export async function prepareEdit(
  prepare: Prepare,
  ...edit: Parameters<Prepare>
): Promise<Preparation & { readonly isRefused?: boolean; readonly isDenied?: boolean }> {
  try {
    return await prepare(...edit)
  } catch (error) {
    const isRefusal = error instanceof ServiceError && REFUSALS.includes(error.code)
    if (!isRefusal) throw error
    const isDenied = error.code === 'not-permitted'
    return { ok: false, isRefused: true, isDenied, problems: [{ message: error.message }] }
  }
}
