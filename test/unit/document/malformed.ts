/** A document that is not well-formed, with the line and the column of its first fault. */
export type Malformed = readonly [document: string, line: number, column: number]

/** Malformed documents by the first words of the problem that the reader must report. */
export const MALFORMED: ReadonlyMap<string, readonly Malformed[]> = new Map<string, Malformed[]>([
  [
    'the document has no root element',
    [
      ['', 1, 1],
      [' \n ', 2, 2],
      ['\r', 1, 2],
      ['<!-- a -->\n', 2, 1],
      ['<?xml version="1.0"?>\n', 2, 1],
    ],
  ],
  [
    'there is text outside of the root element',
    [
      ['hello', 1, 1],
      ['<a/>\n x', 2, 2],
      ['<a/>\n x\r', 2, 2],
      ['\n x<a/>', 2, 2],
      ['<a/>\n<![CDATA[x]]>', 2, 1],
      ['<![CDATA[x]]><a/>', 1, 1],
      ['<a/>&amp;', 1, 5],
      ['&amp;<a/>', 1, 1],
      ['\ufeff\ufeff<a/>', 1, 1],
      ['<a/>\n\n & ', 3, 2],
    ],
  ],
  ['the document has a second root element', [['<a/>\n<b/>', 2, 1]]],
  [
    'unexpected "&"; write &amp; for a literal character',
    [
      ['<a>\n x & y</a>', 2, 4],
      ['<a>&lt; & &amp;</a>', 1, 9],
      ['<a b="x?a=1&c=2"/>', 1, 12],
      ['<a>&', 1, 4],
      ['<a>&<b/>;</a>', 1, 4],
      ['<a>&;</a>', 1, 4],
    ],
  ],
  [
    'the entity is not known; there are only &amp; &lt; &gt; &quot; &apos;',
    [
      ['<a>\n&nope;</a>', 2, 1],
      ['<a\n b="&nope;"/>', 2, 5],
      ['<a>&x;\n&y;</a>', 1, 4],
      ['<a>&nbsp;</a>', 1, 4],
    ],
  ],
  [
    'the reference does not name a character that XML allows',
    [
      ['<a>&#0;</a>', 1, 4],
      ['<a>&#x0;</a>', 1, 4],
      ['<a b="&#1;"/>', 1, 7],
      ['<a>&#xD800;</a>', 1, 4],
      ['<a>&#xFFFF;</a>', 1, 4],
      ['<a>&#x110000;</a>', 1, 4],
      ['<a>&#;</a>', 1, 4],
      ['<a>&#x;</a>', 1, 4],
      ['<a>&#X41;</a>', 1, 4],
      ['<a>&#1a;</a>', 1, 4],
      ['<a>&#99999999999999999999;</a>', 1, 4],
    ],
  ],
  [
    'the character is not allowed in XML',
    [
      ['<a>\n \u0001</a>', 2, 2],
      ['<a>ab\u0000cd</a>', 1, 6],
      ['<a b="\u0008"/>', 1, 7],
      ['<a><!--\u001b--></a>', 1, 8],
      ['<a>\uffff</a>', 1, 4],
      ['<a>\ufffe</a>', 1, 4],
      ['<a>\u000c</a>', 1, 4],
      ['<a/>\u0000', 1, 5],
    ],
  ],
  [
    'an attribute value has "<", or its closing quote is missing',
    [
      ['<a b="<"/>', 1, 7],
      ['<a\n b="x<y"/>', 2, 6],
      ['<a b="x>\n<c d="e"/></a>', 2, 1],
    ],
  ],
  ['"]]>" is not allowed in text; write ]]&gt;', [['<a>x]]>y</a>', 1, 7]]],
  [
    'a comment has "--" within it',
    [
      ['<a><!-- a -- b --></a>', 1, 13],
      ['<a><!-- a ---></a>', 1, 13],
    ],
  ],
  ['a comment is not closed', [['<a>\n <!-- a </a>', 2, 2]]],
  ['a CDATA section is not closed', [['<a>\n<![CDATA[ x </a>', 2, 1]]],
  ['a processing instruction is not closed', [['<a>\n<?x </a>', 2, 1]]],
  [
    'the markup after "<!" is not known',
    [
      ['<a>\n<!- x --></a>', 2, 1],
      ['<a><!ELEMENT x></a>', 1, 4],
      ['<a><![cdata[x]]></a>', 1, 4],
      ['<!doctype a><a/>', 1, 1],
    ],
  ],
  [
    'a tag is not finished',
    [
      ['<a><!></a>', 1, 4],
      ['<a>\n <b', 2, 2],
    ],
  ],
  [
    'a DOCTYPE is not accepted',
    [
      ['<?xml version="1.0"?>\n<!DOCTYPE a>\n<a/>', 2, 1],
      ['<!DOCTYPE a [<!ENTITY x "y">]>\n<a>&x;</a>', 1, 1],
      ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 1, 1],
      ['<a>\n<!DOCTYPE a></a>', 2, 1],
      ['<a/>\n<!DOCTYPE a>', 2, 1],
      ['<!DOCTYPE a [ <a/>', 1, 1],
    ],
  ],
  [
    'the XML declaration is not at the very start',
    [
      ['\n<?xml version="1.0"?><a/>', 2, 1],
      ['<a>\n<?xml version="1.0"?></a>', 2, 1],
      ['<?xml version="1.0"?><?xml version="1.0"?><a/>', 1, 22],
    ],
  ],
  [
    'the XML declaration is malformed; it is written <?xml version="1.0" encoding="utf-8"?>',
    [
      ['<?xml encoding="utf-8"?><a/>', 1, 15],
      ['<?xml?><a/>', 1, 7],
      ['<?xml version="1.0" standalone="yes" encoding="utf-8"?><a/>', 1, 46],
      ['<?xml version=1.0?><a/>', 1, 15],
      ['<?xml version="1.0"encoding="utf-8"?><a/>', 1, 20],
      ['<?xml version="1.0" standalone="maybe"?><a/>', 1, 38],
      ['<?xml version="2.0"?><a/>', 1, 19],
      ['<?xml version="1.0" encoding="utf 8"?><a/>', 1, 36],
      ['<?xml version="1.0" foo="x"?><a/>', 1, 24],
      ['<?xml version="1.0"><a/>', 1, 20],
    ],
  ],
  ['XML 1.1 is not accepted; only 1.0 is', [['<?xml version="1.1"?><a/>', 1, 16]]],
  [
    'the encoding "iso-8859-1" is not accepted; only UTF-8 is',
    [['<?xml version="1.0" encoding="iso-8859-1"?><a/>', 1, 31]],
  ],
  [
    'the encoding "UTF-16" is not accepted; only UTF-8 is',
    [['<?xml version="1.0" encoding="UTF-16"?><a/>', 1, 31]],
  ],
  [
    'a processing instruction is named like the XML declaration',
    [
      ['<?XML version="1.0"?><a/>', 1, 1],
      ['<a><?Xml x?></a>', 1, 4],
    ],
  ],
  ['processing instruction without a target', [['<a><? x?></a>', 1, 6]]],
  ['disallowed character in processing instruction name', [['<a><?1x?></a>', 1, 6]]],
  ['the tag <b> is never closed', [['<a>\n <b>', 2, 2]]],
  ['the tag <b> is not finished', [['<a>\n <b c="d', 2, 2]]],
  ['a closing tag is not finished', [['<a>\n </a', 2, 2]]],
  ['<b> of line 2 must be closed before </a>', [['<a>\n<b>\n</a>', 3, 1]]],
  ['<b> of line 2 must be closed before </c>', [['<a>\n<b>\n</c></a>', 3, 1]]],
  ['<a> of line 1 must be closed before </A>', [['<a>\n</A>', 2, 1]]],
  [
    'a closing tag closes nothing',
    [
      ['</a>', 1, 1],
      ['<a/>\n</a>', 2, 1],
    ],
  ],
  ['a closing tag has no name', [['<a></>', 1, 4]]],
  [
    'a closing tag has a character that is not allowed',
    [
      ['<a></ a>', 1, 7],
      ['<a></a b="c">', 1, 8],
      ['<a></a/>', 1, 7],
    ],
  ],
  [
    'the attribute "b" appears twice',
    [
      ['<a b="1"\n b="2"/>', 2, 2],
      ['<a b="1" b="2" c="3" c="4"/>', 1, 10],
    ],
  ],
  [
    'an attribute name has a character that is not allowed',
    [
      ['<a b/>', 1, 5],
      ['<a 1b="c"/>', 1, 4],
      ['<a ="c"/>', 1, 4],
    ],
  ],
  ['an attribute has no value', [['<a b ="x" c>', 1, 12]]],
  ['an attribute value is not quoted', [['<a b=c/>', 1, 6]]],
  ['two attributes have no space between them', [['<a b="c"d="e"/>', 1, 9]]],
  [
    'unexpected "<"; write &lt; for a literal character',
    [
      ['<1/>', 1, 2],
      ['< a/>', 1, 2],
      ['<a>1 < 2</a>', 1, 7],
      ['<<a/>', 1, 2],
      ['<>', 1, 2],
    ],
  ],
  ['a tag has a character that is not allowed in a name', [['<a$b/>', 1, 3]]],
  [
    'a "/" in a tag is not followed by ">"',
    [
      ['<a / >', 1, 5],
      ['<a/ b="c">', 1, 4],
    ],
  ],
  ['the tag <a> is never closed', [['\ufeff<a>', 1, 1]]],
])
