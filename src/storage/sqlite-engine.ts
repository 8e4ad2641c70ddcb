type SqliteModule = typeof import('@photostructure/sqlite')

/**
 * SQLite for this process: the one in Node where it exists (22.13 and newer), else an optional package
 * with the same interface.
 */
export const { DatabaseSync } = findBuiltIn() ?? (await findPackage())

async function findPackage(): Promise<SqliteModule> {
  try {
    return await import('@photostructure/sqlite')
  } catch (cause) {
    const { version } = process
    const message = `Node ${version} has no SQLite of its own, and the optional package @photostructure/sqlite is not installed`
    throw new Error(message, { cause })
  }
}

function findBuiltIn(): SqliteModule | null {
  const emitWarning = process.emitWarning.bind(process)
  // Loading it prints a warning that it is experimental to standard error, which operators read.
  process.emitWarning = () => undefined
  try {
    const found = process.getBuiltinModule('node:sqlite')
    return isSqlite(found) ? found : null
  } finally {
    process.emitWarning = emitWarning
  }
}

function isSqlite(found: object | undefined): found is SqliteModule {
  return found !== undefined && 'DatabaseSync' in found
}
