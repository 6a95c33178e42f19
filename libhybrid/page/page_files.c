/* The files of the page and its glossary, each between two symbols of read-only memory. The build defines
 * their paths and the hashes of the content security policy; without HYBRID_PAGE the page's files are empty.
 */
#define EMBED(name, content)                                                                                \
  __asm__(".pushsection .rodata\n.global hybrid_" #name "\n.hidden hybrid_" #name "\n.global hybrid_" #name \
          "_end\n.hidden hybrid_" #name "_end\nhybrid_" #name ":\n" content "\nhybrid_" #name               \
          "_end:\n.popsection\n")
#define FILE_AT(path) ".incbin \"" path "\""
#define TEXT(text) ".ascii \"" text "\""

EMBED(glossary, FILE_AT(HYBRID_GLOSSARY));
#ifdef HYBRID_PAGE
EMBED(page_html, FILE_AT(HYBRID_PAGE "/page.html"));
EMBED(page_css, FILE_AT(HYBRID_PAGE "/page.css"));
EMBED(page_script, FILE_AT(HYBRID_PAGE "/page.js"));
EMBED(page_echarts, FILE_AT(HYBRID_ECHARTS));
EMBED(page_script_csp, TEXT(HYBRID_SCRIPT_CSP));
EMBED(page_style_csp, TEXT(HYBRID_STYLE_CSP));
#else
EMBED(page_html, "");
EMBED(page_css, "");
EMBED(page_script, "");
EMBED(page_echarts, "");
EMBED(page_script_csp, "");
EMBED(page_style_csp, "");
#endif
