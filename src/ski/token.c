/* The words of the language: kinds of tokens, and how messages name them. */
#include "ski/token.h"

#include <string.h>

static const char *const keywords[TOKEN_KINDS] = {
    [TOKEN_AND] = "and",
    [TOKEN_AUTOREFINE] = "autorefine",
    [TOKEN_BEGIN] = "begin",
    [TOKEN_DIAGRAM] = "diagram",
    [TOKEN_DO] = "do",
    [TOKEN_ELSE] = "else",
    [TOKEN_ELSEIF] = "elseif",
    [TOKEN_END] = "end",
    [TOKEN_FI] = "fi",
    [TOKEN_FLUSH] = "flush",
    [TOKEN_FOR] = "for",
    [TOKEN_IF] = "if",
    [TOKEN_IN] = "in",
    [TOKEN_MEASURE] = "measure",
    [TOKEN_MEASUREMENT] = "measurement",
    [TOKEN_METHOD] = "method",
    [TOKEN_MULTIPLEOF] = "multipleof",
    [TOKEN_NOT] = "not",
    [TOKEN_OD] = "od",
    [TOKEN_OR] = "or",
    [TOKEN_PRINT] = "print",
    [TOKEN_PRINT_ALL] = "print_all",
    [TOKEN_RESULT] = "result",
    [TOKEN_STEP] = "step",
    [TOKEN_THEN] = "then",
    [TOKEN_TO] = "to",
};

static const char *const kind_names[TOKEN_KINDS] = {
    [TOKEN_EOF] = "the end of the script",
    [TOKEN_NAME] = "a name",
    [TOKEN_INTEGER] = "a number",
    [TOKEN_REAL] = "a number",
    [TOKEN_STRING] = "a string",
    [TOKEN_BAD] = "a number",
    [TOKEN_AND] = "'and'",
    [TOKEN_AUTOREFINE] = "'autorefine'",
    [TOKEN_BEGIN] = "'begin'",
    [TOKEN_DIAGRAM] = "'diagram'",
    [TOKEN_DO] = "'do'",
    [TOKEN_ELSE] = "'else'",
    [TOKEN_ELSEIF] = "'elseif'",
    [TOKEN_END] = "'end'",
    [TOKEN_FI] = "'fi'",
    [TOKEN_FLUSH] = "'flush'",
    [TOKEN_FOR] = "'for'",
    [TOKEN_IF] = "'if'",
    [TOKEN_IN] = "'in'",
    [TOKEN_MEASURE] = "'measure'",
    [TOKEN_MEASUREMENT] = "'measurement'",
    [TOKEN_METHOD] = "'method'",
    [TOKEN_MULTIPLEOF] = "'multipleof'",
    [TOKEN_NOT] = "'not'",
    [TOKEN_OD] = "'od'",
    [TOKEN_OR] = "'or'",
    [TOKEN_PRINT] = "'print'",
    [TOKEN_PRINT_ALL] = "'print_all'",
    [TOKEN_RESULT] = "'result'",
    [TOKEN_STEP] = "'step'",
    [TOKEN_THEN] = "'then'",
    [TOKEN_TO] = "'to'",
    [TOKEN_LESS] = "'<'",
    [TOKEN_GREATER] = "'>'",
    [TOKEN_LESS_EQUAL] = "'<='",
    [TOKEN_GREATER_EQUAL] = "'>='",
    [TOKEN_EQUAL] = "'=='",
    [TOKEN_NOT_EQUAL] = "'!='",
    [TOKEN_PLUS] = "'+'",
    [TOKEN_MINUS] = "'-'",
    [TOKEN_STAR] = "'*'",
    [TOKEN_SLASH] = "'/'",
    [TOKEN_PERCENT] = "'%'",
    [TOKEN_AMPERSAND] = "'&'",
    [TOKEN_BAR] = "'|'",
    [TOKEN_TILDE] = "'~'",
    [TOKEN_ASSIGN] = "'='",
    [TOKEN_LEFT_PAREN] = "'('",
    [TOKEN_RIGHT_PAREN] = "')'",
    [TOKEN_LEFT_BRACKET] = "'['",
    [TOKEN_RIGHT_BRACKET] = "']'",
    [TOKEN_LEFT_BRACE] = "'{'",
    [TOKEN_RIGHT_BRACE] = "'}'",
    [TOKEN_COMMA] = "','",
    [TOKEN_COLON] = "':'",
    [TOKEN_DOTS] = "'...'",
    [TOKEN_DOT] = "'.'",
};

const char *token_kind_name(enum token_kind kind)
{
    return kind_names[kind];
}

const char *token_keyword(enum token_kind kind)
{
    return keywords[kind];
}

bool token_says(const struct token *token, const char *word)
{
    return token->length == strlen(word) && memcmp(token->text, word, token->length) == 0;
}
