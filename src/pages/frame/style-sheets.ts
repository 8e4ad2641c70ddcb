/**
 * Style sheets that are made of parts, by what each is about, in the order in which the parts stand
 * in them. A part may be in several. A sheet that is not here is one file.
 */
export const STYLE_SHEETS: Readonly<Record<string, readonly string[]>> = {
  'base.css': [
    'base/page.css',
    'base/frame.css',
    'base/controls.css',
    'base/marks.css',
    'base/details.css',
    'base/changes.css',
    'base/media.css',
  ],
  'audit.css': ['history/filters.css', 'audit/entries.css'],
  'code.css': ['code/tokens.css', 'code/choice.css', 'code/secrets.css'],
  'compare.css': [
    'compare/cards.css',
    'compare/hunks.css',
    'compare/rows.css',
    'compare/ruler.css',
    'compare/media.css',
  ],
  'history.css': [
    'history/bars.css',
    'history/filters.css',
    'history/table.css',
    'history/compare-bar.css',
    'history/media.css',
  ],
  'runs.css': [
    'runs/status.css',
    'runs/told.css',
    'runs/agents.css',
    'runs/removal.css',
    'runs/agents-media.css',
    'runs/pipelines.css',
    'runs/timeline.css',
    'runs/stage.css',
    'runs/console.css',
    'runs/media.css',
  ],
  'snapshot.css': [
    'snapshot/outline.css',
    'snapshot/file.css',
    'snapshot/listing.css',
    'snapshot/media.css',
  ],
}
