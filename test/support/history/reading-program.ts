import nodeFs from 'node:fs/promises'
import { CommitSha } from '../../../src/core/revision.ts'
import { openObjectReader } from '../../../src/git/readers/open-object-reader.ts'

/** Prints a file at a commit and leaves the reader open, as a program that just ends would. */
const [gitDir = '', commit, path = ''] = process.argv.slice(2)
const reader = await openObjectReader({ fs: nodeFs, gitDir, path: process.env['PATH'] })
const bytes = await reader.findFile(CommitSha.parse(commit), path)
process.stdout.write(bytes ?? 'nothing')
