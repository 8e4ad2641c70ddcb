import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readStructure } from '../../../../scripts/structure.ts'
import {
  type Door,
  DOORS_OF_PEOPLE,
  DOORS_WITHOUT_CALLER,
} from '../../../../src/core/change-origin.ts'

const SRC = fileURLToPath(new URL('../../../../src', import.meta.url))

/** The files that bring changes through each door, or plan one that could come through it. */
const WRITERS: Readonly<Record<Door, readonly string[]>> = {
  put: [
    'api/configuration/config-saving-routes.ts',
    'configuration/gate/save-rules.ts',
    'proposals/plan-proposal.ts',
  ],
  post: ['api/configuration/config-saving-routes.ts', 'configuration/entities/partials.ts'],
  form: [
    'pages/edit/edit-review.ts',
    'pages/edit/edit-routes.tsx',
    'pages/edit/propose-change.ts',
    'pages/forms/forms-routes.tsx',
  ],
  entity: ['builds/plan/plan-entity.ts', 'configuration/entities/save-entity.ts'],
  'create-pipeline': [
    'builds/plan/plan-configuration.ts',
    'configuration/save/pipeline-creation.ts',
  ],
  restore: [
    'configuration/save/config-restoring.ts',
    'pages/restore/restore-plan.ts',
    'pages/restore/restore-preview.ts',
  ],
  undo: ['pages/restore/restore-plan.ts', 'pages/restore/restore-preview.ts'],
  push: ['history/push/git-service.ts'],
  'agent-administration': ['agents/administer-agents.ts'],
  proposal: ['proposals/assess.ts', 'proposals/merge-proposal.ts', 'server/open-leader.ts'],
  'live-file': [
    'history/sync/log-follower.ts',
    'history/sync/reconciler.ts',
    'proposals/owner-edits.ts',
  ],
  'native-commit': ['history/sync/native-commits.ts', 'proposals/owner-edits.ts'],
  'agent-registration': ['agents/agent-registrar.ts'],
  sealing: ['cli/commands/secrets.ts', 'history/sync/reconciler.ts'],
  adoption: ['history/sync/first-commit.ts', 'operations/import/import-repository.ts'],
}

/** The calls that make a change current or write a commit, and the files that may make them. */
const CALLS: readonly (readonly [call: RegExp, files: readonly string[]])[] = [
  [
    /(?<!live\.)\bprepare\(\s*(?:next|document|live\.bytes|seen\.bytes|first\.document)\b/,
    ['configuration/save/save-group.ts', 'history/history.ts', 'history/sync/first-commit.ts'],
  ],
  [
    /\bprepareEdit\(prepare, (?:live|seen)\.bytes\b/,
    ['history/sync/log-follower.ts', 'history/sync/reconciler.ts'],
  ],
  [/\bhistory\.changeBeside\(/, ['configuration/gate/save-rules.ts']],
  [
    /\bwriter\.change\(/,
    [
      'configuration/save/config-editor.ts',
      'configuration/save/config-restoring.ts',
      'configuration/save/config-saving.ts',
      'proposals/merge-proposal.ts',
    ],
  ],
  [
    /\beditor\.edit\(/,
    [
      'agents/administer-agents.ts',
      'agents/agent-registrar.ts',
      'cli/commands/secrets.ts',
      'configuration/entities/save-entity.ts',
      'configuration/save/pipeline-creation.ts',
      'operations/import/import-repository.ts',
    ],
  ],
  [/\bmakeCurrent\(/, ['configuration/save/config-restoring.ts', 'pages/restore/restore-plan.ts']],
  [
    /\bsaveDocument\(/,
    [
      'api/configuration/config-saving-routes.ts',
      'builds/plan/hold-added.ts',
      'configuration/entities/partials.ts',
      'configuration/save/config-saving.ts',
      'pages/edit/edit-review.ts',
    ],
  ],
  [/\bhistory\.advance\(/, ['history/push/git-service.ts']],
  [
    /\bcommitter\.(?:commit|writeOnly)\(/,
    ['history/sync/first-commit.ts', 'history/sync/log-follower.ts', 'history/sync/reconciler.ts'],
  ],
  [/\bcommitter\.writeBeside\(/, ['history/sync/reconciler.ts']],
]

const sources = [...readStructure(SRC).keys()].map(
  (file) => [file, readFileSync(join(SRC, file), 'utf8')] as const,
)

function filesWith(pattern: RegExp): string[] {
  return sources.flatMap(([file, text]) => (pattern.test(text) ? [file] : [])).toSorted()
}

describe('the gate', () => {
  it.each([...DOORS_OF_PEOPLE, ...DOORS_WITHOUT_CALLER])(
    'has known writers at the door %s',
    (door) => {
      const origin = new RegExp(`(?<!extends )(?:\\bdoor: |\\? |: )'${door}'(?=[,\\s}])(?! \\|)`)
      const listed = filesWith(origin).filter((file) => isAboutDoors(file))

      expect(listed).toEqual(WRITERS[door])
    },
  )

  it.each(CALLS)('is asked by all that call %s', (call, files) => {
    expect(filesWith(call)).toEqual(files)
  })
})

/** Words such as `restore` are also about other things. */
function isAboutDoors(file: string): boolean {
  const text = sources.find(([name]) => name === file)?.[1] ?? ''
  return /\bdoor\b/.test(text)
}
