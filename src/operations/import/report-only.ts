import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type WillNotRun, willNotRunIn } from '../../builds/configured/unsupported.ts'
import { unavailable } from '../../core/errors.ts'
import type { Problem } from '../../core/problem.ts'
import { readDocument } from '../../document/document.ts'
import { UnsupportedParts } from '../../document/unsupported/unsupported-parts.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { SourceRepository } from './source-repository.ts'

export interface ReportRequest {
  /** A file, a folder with one, or the path or URL of a repository. */
  readonly from: string
  readonly branch: string | null
  /** Names that the file may have, the likeliest first. */
  readonly sourceFiles: readonly string[]
}

/** The parts of a document that will not run here, or why it is not valid. */
export interface DocumentReport {
  readonly file: string
  readonly errors: readonly Problem[]
  readonly willNotRun: readonly WillNotRun[]
}

/**
 * Reads a document of another server and says what of it will not run here. Nothing is written.
 *
 * @throws {ServiceError} `unavailable` where there is none.
 */
export async function reportOnly(
  request: ReportRequest,
  environment: Readonly<Record<string, string>>,
): Promise<DocumentReport> {
  const { file, bytes } = await readSource(request, environment)
  const reading = readDocument(Uint8Array.from(bytes))
  if (!reading.ok) return { file, errors: reading.problems, willNotRun: [] }
  // Values that the other server has encrypted cannot be decrypted here.
  const parts = new UnsupportedParts(() => null)
  return {
    file,
    errors: [],
    willNotRun: await runCooperatively(willNotRunIn(reading.document, parts)),
  }
}

interface FoundFile {
  readonly file: string
  readonly bytes: Buffer
}

async function readSource(
  request: ReportRequest,
  environment: Readonly<Record<string, string>>,
): Promise<FoundFile> {
  const { from, sourceFiles } = request
  const found = await orNullWhenAbsent(stat(from))
  if (found?.isFile() === true) return { file: from, bytes: await readFile(from) }
  if (found !== null && !isRepository(from)) {
    const file = sourceFiles.find((name) => existsSync(join(from, name)))
    if (file === undefined) throw unavailable(`The folder has no ${sourceFiles.join(' and no ')}`)
    return { file, bytes: await readFile(join(from, file)) }
  }
  return readNewest(request, environment)
}

function isRepository(folder: string): boolean {
  return existsSync(join(folder, '.git')) || existsSync(join(folder, 'HEAD'))
}

/** Reads the file of the newest commit by a fetch into a folder of its own. */
async function readNewest(
  { from, branch, sourceFiles }: ReportRequest,
  environment: Readonly<Record<string, string>>,
): Promise<FoundFile> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-report-'))
  try {
    await using source = new SourceRepository({ from, branch }, environment)
    const commit = await source.fetchInto(folder)
    for (const file of sourceFiles) {
      const bytes = await source.readFile(folder, commit, file)
      if (bytes !== null) return { file, bytes }
    }
    throw unavailable(`The newest commit has no ${sourceFiles.join(' and no ')}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
