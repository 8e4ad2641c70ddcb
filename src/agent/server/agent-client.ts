import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ContactReply, type ContactRequest } from '../../wire/agent/contact.ts'
import type { JobReport } from '../../core/builds/job.ts'
import { type AgentJobPath, type JobLocator, agentPaths } from '../../wire/agent/paths.ts'
import { type RegisterRequest, RegisterReply } from '../../wire/agent/registration.ts'
import {
  type ArtifactKind,
  type JobAssignment,
  type WorkRequest,
  WorkReply,
  ArtifactListing,
  ConsoleReply,
} from '../../wire/agent/work.ts'
import { HttpCaller, orAbsent } from './http-call.ts'
import { SentFile } from './sent-file.ts'
import { ServerAbsent } from './server-errors.ts'

const CALL_TIMEOUT_MS = 15_000
/** The server holds a work request for about 15 seconds. */
const WORK_TIMEOUT_MS = 40_000
/** A file may take a minute, and more if it is large: the time for 64 KiB a second. */
const FILE_TIMEOUT_MS = 60_000
const MIN_BYTES_PER_MS = 64

/** The client of the protocol in `wire/agent/PROTOCOL.md`, with one method for each call. */
export class AgentClient {
  readonly #http: HttpCaller
  readonly #uuid: string

  constructor(options: {
    servers: readonly [string, ...string[]]
    uuid: string
    findToken: () => string | null
  }) {
    this.#http = new HttpCaller(options.servers, options.findToken)
    this.#uuid = options.uuid
  }

  register(body: RegisterRequest, signal: AbortSignal): Promise<RegisterReply> {
    const path = agentPaths.register()
    return this.#http.read(
      { method: 'POST', path, body, timeoutMs: CALL_TIMEOUT_MS, signal },
      RegisterReply,
    )
  }

  contact(body: ContactRequest, signal: AbortSignal): Promise<ContactReply> {
    const path = agentPaths.contact(this.#uuid)
    return this.#http.read(
      { method: 'POST', path, body, timeoutMs: CALL_TIMEOUT_MS, signal },
      ContactReply,
    )
  }

  /** Requests a job; the server holds the call while it has none. */
  async work(body: WorkRequest, signal: AbortSignal): Promise<JobAssignment | null> {
    const path = agentPaths.work(this.#uuid)
    const call = { method: 'POST', path, body, timeoutMs: WORK_TIMEOUT_MS, signal } as const
    return (await this.#http.read(call, WorkReply)).assignment
  }

  async report(jobId: number, body: JobReport, signal: AbortSignal): Promise<void> {
    const path = agentPaths.report(this.#job(jobId))
    await this.#http.call(
      { method: 'POST', path, body, timeoutMs: CALL_TIMEOUT_MS, signal },
      unread,
    )
  }

  /** Appends to the console and returns its new size in bytes. */
  async appendConsole(
    jobId: number,
    { offset, bytes }: { offset: number; bytes: Buffer },
    signal: AbortSignal,
  ): Promise<number> {
    const path = agentPaths.console(this.#job(jobId), offset)
    const timeoutMs = fileTime(bytes.length)
    const call = { method: 'PUT', path, body: bytes, timeoutMs, signal } as const
    return (await this.#http.read(call, ConsoleReply)).offset
  }

  async upload(
    jobId: number,
    artifact: { kind: ArtifactKind; path: string; file: string },
    signal: AbortSignal,
  ): Promise<void> {
    await using body = await SentFile.open(artifact.file)
    const path = agentPaths.artifact(this.#job(jobId), artifact.kind, artifact.path)
    const timeoutMs = fileTime(body.size)
    try {
      await this.#http.call({ method: 'PUT', path, body, timeoutMs, signal }, unread)
    } catch (error) {
      if (error instanceof ServerAbsent) await body.assertWhole()
      throw error
    }
  }

  async listArtifacts(
    from: JobLocator,
    path: string,
    signal: AbortSignal,
  ): Promise<ArtifactListing['files']> {
    const asked = agentPaths.listArtifacts(this.#uuid, from, path)
    const call = { method: 'GET', path: asked, timeoutMs: CALL_TIMEOUT_MS, signal } as const
    return (await this.#http.read(call, ArtifactListing)).files
  }

  /** Downloads one artifact to a file; an incomplete download counts as no answer. */
  async download(
    from: JobLocator,
    { path, size, file }: { path: string; size: number; file: string },
    signal: AbortSignal,
  ): Promise<void> {
    const asked = agentPaths.file(from, path)
    const call = { method: 'GET', path: asked, timeoutMs: fileTime(size), signal } as const
    await using target = await openTarget(file)
    const written = await this.#http.call(call, async (body) => {
      const sink = target.createWriteStream()
      await orAbsent(() => pipeline(Readable.fromWeb(body()), sink, { signal }), signal)
      return sink.bytesWritten
    })
    if (written === size) return
    throw new ServerAbsent(`${path} has ${written} bytes instead of ${size}`)
  }

  #job(jobId: number): AgentJobPath {
    return { uuid: this.#uuid, jobId }
  }
}

const REPLACING = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK

/** Opens a file to be written anew, without a wait for the other end of a pipe in its place. */
async function openTarget(file: string): Promise<FileHandle> {
  const handle = await open(file, REPLACING)
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new Error(`${file} is no file`)
}

function fileTime(size: number): number {
  return FILE_TIMEOUT_MS + Math.ceil(size / MIN_BYTES_PER_MS)
}

/** Does not wait for the body of an answer that needs none. */
async function unread(): Promise<void> {}
