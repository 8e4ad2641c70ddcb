/** Built into Node from 22.13 on; the package has the same interface. */
declare module 'node:sqlite' {
  export * from '@photostructure/sqlite'
}
