package counter

import (
	"context"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/airline/desk"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A UserInput names a user.
type UserInput struct {
	User string `json:"user_id" jsonschema:"minLength=1,maxLength=60" jsonschema_description:"Such as sara_doe_496."`
}

func (c *Counter) userDetails() contract.Buildable {
	return read("get_user_details", "User", "Returns a user's profile, payment methods and reservations.", trust.Untrusted,
		func(_ context.Context, in UserInput) (desk.User, error) { return c.Desk.User(in.User) })
}

// A ReservationInput names a reservation.
type ReservationInput struct {
	Reservation string `json:"reservation_id" jsonschema:"minLength=1,maxLength=20" jsonschema_description:"Such as 8JX2WO."`
}

func (c *Counter) reservationDetails() contract.Buildable {
	return read("get_reservation_details", "Reservation", "Returns a reservation.", trust.Untrusted,
		func(_ context.Context, in ReservationInput) (desk.Reservation, error) {
			return c.Desk.Reservation(in.Reservation)
		})
}

// A SearchInput holds what is searched for.
type SearchInput struct {
	Origin      string `json:"origin" jsonschema:"minLength=3,maxLength=3" jsonschema_description:"Airport such as JFK."`
	Destination string `json:"destination" jsonschema:"minLength=3,maxLength=3" jsonschema_description:"Airport such as LAX."`
	Date        string `json:"date" jsonschema:"format=date" jsonschema_description:"Day of departure."`
}

// A SearchOutput has one list of flights for each way to get there.
type SearchOutput struct {
	Ways [][]desk.Flight `json:"ways"`
}

func (c *Counter) searchDirect() contract.Buildable {
	return read("search_direct_flight", "Direct flights", "Finds direct flights that can be booked on a day.", trust.Trusted,
		func(_ context.Context, in SearchInput) (SearchOutput, error) {
			out := SearchOutput{Ways: [][]desk.Flight{}}
			for _, f := range c.Desk.Direct(in.Origin, in.Destination, in.Date) {
				out.Ways = append(out.Ways, []desk.Flight{f})
			}
			return out, nil
		})
}

func (c *Counter) searchOneStop() contract.Buildable {
	return read("search_onestop_flight", "Flights with one stop", "Finds two flights that can be booked, one after the other.",
		trust.Trusted, func(_ context.Context, in SearchInput) (SearchOutput, error) {
			day, err := time.Parse(time.DateOnly, in.Date)
			if err != nil {
				return SearchOutput{}, err
			}
			out := SearchOutput{Ways: [][]desk.Flight{}}
			for _, stop := range c.Desk.Airports() {
				for _, first := range c.Desk.Direct(in.Origin, stop, in.Date) {
					arrival, next := strings.CutSuffix(first.Arrival, "+1")
					date := in.Date
					if next {
						date = day.AddDate(0, 0, 1).Format(time.DateOnly)
					}
					for _, second := range c.Desk.Direct(stop, in.Destination, date) {
						if second.Departure >= arrival {
							out.Ways = append(out.Ways, []desk.Flight{first, second})
						}
					}
				}
			}
			return out, nil
		})
}

// An AirportList is the result of list_all_airports.
type AirportList struct {
	Airports []string `json:"airports"`
}

func (c *Counter) airports() contract.Buildable {
	return read("list_all_airports", "Airports", "Lists the airports.", trust.Trusted,
		func(context.Context, struct{}) (AirportList, error) { return AirportList{c.Desk.Airports()}, nil })
}

// A CalculateInput holds an expression.
type CalculateInput struct {
	Expression string `json:"expression" jsonschema:"minLength=1,maxLength=500" jsonschema_description:"With numbers, + - * / and parentheses."`
}

// ErrExpression is the failure of calculate.
var ErrExpression = contract.Retryable("not_an_expression", "The text is no expression of numbers.")

func calculator() contract.Buildable {
	return read("calculate", "Calculate", "Calculates.", trust.Trusted,
		func(_ context.Context, in CalculateInput) (string, error) {
			e, err := parser.ParseExpr(in.Expression)
			if err != nil {
				return "", ErrExpression.At("/expression")
			}
			v := value(e)
			if v.Kind() == constant.Unknown {
				return "", ErrExpression.At("/expression")
			}
			return v.String(), nil
		}).Failures(ErrExpression)
}

// value evaluates an expression. The value is unknown if it has none.
func value(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			return constant.MakeFromLiteral(e.Value, e.Kind, 0)
		}
	case *ast.ParenExpr:
		return value(e.X)
	case *ast.UnaryExpr:
		if x := value(e.X); x.Kind() != constant.Unknown && (e.Op == token.SUB || e.Op == token.ADD) {
			return constant.UnaryOp(e.Op, x, 0)
		}
	case *ast.BinaryExpr:
		x, y := value(e.X), value(e.Y)
		known := x.Kind() != constant.Unknown && y.Kind() != constant.Unknown
		switch {
		case !known, e.Op == token.QUO && constant.Sign(y) == 0:
		case e.Op == token.ADD, e.Op == token.SUB, e.Op == token.MUL, e.Op == token.QUO:
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return constant.MakeUnknown()
}

// A TransferInput tells a human agent what it is about.
type TransferInput struct {
	Summary string `json:"summary" jsonschema:"minLength=1,maxLength=2000" jsonschema_description:"What the user wants."`
}

func (c *Counter) transfer() contract.Buildable {
	return contract.New("transfer_to_human_agents", func(context.Context, TransferInput) (string, error) {
		return "A human agent takes over.", nil
	}).From(defaults()).FlatName().Title("Transfer to a human agent").
		Description("Hands the user over to a human agent, if the request is beyond what the other tools may do.").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("desk:read").
		SideEffects(contract.SideEffect{
			Description: "A human agent is called.", Reach: contract.Internal, Undo: contract.Irreversible, OnRepeat: "Nothing more.",
		})
}
