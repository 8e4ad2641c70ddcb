import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { AgentTool } from '../../core/builds/job.ts'
import type { JobAssignment } from '../../wire/agent/work.ts'

/** Programs that are often started by others, such as a build tool by its wrapper. */
const RUNTIMES = [
  'java',
  'node',
  'python3',
  'ruby',
  'dotnet',
  'go',
  'gcc',
  'make',
  'docker',
  'mvn',
  'gradle',
  'npm',
]

/** The clients that check materials out. */
const CLIENTS: Readonly<Record<JobAssignment['materials'][number]['type'], string | null>> = {
  git: 'git',
  hg: 'hg',
  svn: 'svn',
  p4: 'p4',
  tfs: 'tf',
  pipeline: null,
}

/** The limits of a report. */
const MAX_TOOLS = 50
const MAX_NAME_LENGTH = 100
const MAX_PATH_LENGTH = 1_000

/**
 * The programs that a job may use, as their files say: none is started, because not every program
 * takes the question for its version for a question.
 */
export async function findTools(
  assignment: Pick<JobAssignment, 'materials' | 'tasks'>,
  path: string,
): Promise<readonly AgentTool[]> {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const names = [...new Set(namesOf(assignment))].slice(0, MAX_TOOLS)
  return Promise.all(names.map((name) => findTool(name, folders)))
}

/** Names, first the ones that the job itself gives. */
function* namesOf({
  materials,
  tasks,
}: Pick<JobAssignment, 'materials' | 'tasks'>): Generator<string> {
  for (const { run } of tasks) {
    if (run.type === 'fetchartifact') continue
    const name = run.type === 'exec' ? run.command : run.type
    if (/^[^/\\\0]+$/.test(name) && name.length <= MAX_NAME_LENGTH) yield name
  }
  for (const { type } of materials) {
    const client = CLIENTS[type]
    if (client !== null) yield client
  }
  yield* RUNTIMES
}

async function findTool(name: string, folders: readonly string[]): Promise<AgentTool> {
  for (const folder of folders) {
    const found = await toolAt(name, join(folder, name))
    if (found !== null) return found
  }
  return { name, path: '', size: 0, modifiedAt: 0 }
}

/** A link is followed, so that another version behind the same name shows. */
async function toolAt(name: string, file: string): Promise<AgentTool | null> {
  try {
    await access(file, constants.X_OK)
    const [facts, real] = await Promise.all([stat(file), realpath(file)])
    if (!facts.isFile() || real.length > MAX_PATH_LENGTH) return null
    const modifiedAt = Math.max(0, Math.floor(facts.mtimeMs))
    return { name, path: real, size: facts.size, modifiedAt }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}
